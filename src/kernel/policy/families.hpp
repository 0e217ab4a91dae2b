#pragma once

#include "kernel/policy/beta_sampling.hpp"
#include "kernel/policy/guests.hpp"
#include "kernel/policy/imed.hpp"
#include "kernel/policy/patient.hpp"
#include "kernel/policy/queues.hpp"
#include "kernel/policy/sampling.hpp"
#include "kernel/policy/turns.hpp"
#include "kernel/policy/uniform.hpp"

namespace dbandit::kernel {

template <class... F>
struct List {};

/// The first that takes an experiment plays it; where none does, the arm of largest index is played (index.hpp).
using Families = List<Guests, Queues, Uniform, Thompson, BetaSampling, Turns, Imed, Patient>;

}  // namespace dbandit::kernel
