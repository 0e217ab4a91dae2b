#pragma once

#include <span>

#include "dbandit/model/guest.hpp"
#include "dbandit/sim/result.hpp"
#include "dbandit/sim/run.hpp"

/// Policies from outside the catalogue: an idea as a function, played against the worlds that the catalogue's policies meet.
namespace dbandit::sim {

using model::Choose;
using model::Guest;
using model::guest_uniform;
using model::GuestRound;
using model::GuestStart;
using model::GuestView;

/// `run` with the guests that the spec names, as "guest:NAME" or "guest:NAME@HASH": Guest::name is "NAME" or "NAME@HASH". Differences are
/// paired. What a guest throws reaches the caller.
Result run_with_guests(const Spec& spec, std::span<const Guest> guests, const RunOptions& options);

/// A guest's experiment: the setting of the run as it is given.
model::Experiment guest_experiment(const Spec& spec, const Guest& guest);

}  // namespace dbandit::sim
