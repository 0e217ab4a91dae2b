#pragma once

#include "dbandit/model/experiment.hpp"

namespace dbandit::kernel {

/// Whether the certificate holds for a policy: an index on S/Ñ, Z/(τ_m M), S/N or immediate feedback. Not for sampling, learned delays,
/// queues or turns.
bool can_leap(const model::Rule& rule);
/// Whether an experiment can leap, with its exposure summed so: a fit's τ is not the law's.
bool can_leap(const model::Experiment& experiment, model::Exposure exposure);
/// How many rounds are better played one by one: in the early ones a look is needed nearly every round.
std::int64_t leap_after(const model::Experiment& experiment);
/// Whether one that can leap is faster for it.
bool is_faster_leaping(const model::Experiment& experiment);

}  // namespace dbandit::kernel
