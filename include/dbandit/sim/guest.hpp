#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "dbandit/model/experiment.hpp"
#include "dbandit/sim/result.hpp"
#include "dbandit/sim/run.hpp"

/// Policies from outside the catalogue: an idea as a function, played against the worlds that the catalogue's policies meet.
namespace dbandit::sim {

/// What a policy knows of many replicas after round t − 1. Rows [arm][lane]; lane r is replica first + r. Every replica numbers the arms in
/// an order of its own, the same in all rounds, so that it does not matter in which order a problem lists them: a policy that gives ties to
/// the first arm must not be rewarded where that is the best.
struct Books {
  std::int64_t round = 0;  ///< t, the round to decide
  std::size_t arms = 0;
  std::size_t lanes = 0;
  std::span<const double> pulls;        ///< N_k
  std::span<const double> exposure;     ///< Ñ_k (§5.1)
  std::span<const double> conversions;  ///< S_k
};

/// Fills in an index for every arm and lane, [arm][lane], arms numbered as in the books. The largest is played; those within reference::kTie of it tie, and the
/// replica's own stream decides, as it does for every policy. Not asked in rounds 1 … K, which play each arm once.
using Choose = std::function<void(const Books& books, std::span<double> indices)>;

struct Guest {
  std::string name;
  Choose choose;
  std::string hash = {};  ///< of what it does, where results are to be told apart by it
};

/// An engine for guests: the world of §2.1 a round at a time for all lanes, its draws at the addresses of rng/draws.hpp. The exposure
/// is summed by recursion where it is asked for and the law has one, else by the buffer.
void simulate_guest(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, const Choose& choose,
                    model::Paths& paths);

/// `run` with the guests that the spec names, as "guest:NAME"; differences are paired. All on the calling thread, where the functions may
/// belong. What a guest throws reaches the caller.
Result run_with_guests(const Spec& spec, std::span<const Guest> guests, const RunOptions& options);

}  // namespace dbandit::sim
