#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "reference/index.hpp"

namespace dbandit::reference {

/// Q-PMD (Joulani, György, Szepesvári, ICML 2013): a policy that knows no delays, the base, in front of a queue per arm. What is
/// disclosed waits in the queue of its arm. While the queue of the arm that the base wants is not empty the base is fed from it and asked
/// again; then that arm is played. The base's clock, and with it β and the keys of its ties, counts what it was fed, and its first K wishes
/// are the arms in the start order: until the first feedback the first of them is played over and over.
///
/// The paper's feedback is a reward; ours is a conversion or silence, so two things can be fed. `naive`: conversions only, and the base
/// sees nothing but ones (§3: its empirical mean sticks to 1). With a timeout: a 0 for a pull that has not converted by the end of its
/// window, behind the conversions of that round.
struct Queue {
  std::vector<std::deque<bool>> waiting;  ///< by arm, in order of arrival
  std::vector<ArmStatistics> fed;         ///< what the base knows: pulls = exposure = how many, conversions = how many ones
  std::int64_t steps = 0;                 ///< how much it was fed in all

  explicit Queue(std::size_t arms) : waiting(arms), fed(arms) {}

  void arrive(std::size_t arm, bool converted) { waiting[arm].push_back(converted); }
  void feed(std::size_t arm) {
    ++steps;
    fed[arm].pulls += 1;
    fed[arm].exposure += 1;
    fed[arm].conversions += waiting[arm].front();
    waiting[arm].pop_front();
  }
};

}  // namespace dbandit::reference
