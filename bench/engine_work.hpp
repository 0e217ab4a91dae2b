#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dbandit/kernel/target.hpp"
#include "dbandit/model/experiment.hpp"
#include "dbandit/sim/spec.hpp"
#include "work.hpp"

namespace dbandit::bench {

/// θ_L = (0.1, 0.05, 0.03) of §7; for more arms the two lesser rates are repeated, so that the best arm stays alone.
std::vector<double> low_rates(std::size_t arms);

/// A whole simulation: the problem of the targets unless said otherwise (θ_L, μ = 500, m = 1000, T = 10^4).
struct EngineCase {
  const kernel::Target* target = &kernel::best_target();  ///< nullptr: the reference
  std::string policy = "d-klucb";
  std::size_t arms = 3;
  model::Window window = 1000;
  std::int64_t horizon = 10000;
  double mean_delay = 500;
  std::size_t lanes = 0;  ///< replicas; 0: a block of the plan, or one replica of the reference
  model::Exposure exposure = model::Exposure::recursion;
  model::Solver solver = model::Solver::direct;
  std::string law = {};  ///< in place of the geometric one, as --delay takes it
  double tolerance = 0;  ///< of Exposure::approx
  sim::Engine engine = sim::Engine::rounds;
  std::vector<double> theta = {};  ///< in place of the low rates
};

sim::Settings spec(const EngineCase& given);
/// One call simulates the replicas of one block; items are replica-rounds.
Work engine_work(const EngineCase& given);
/// d-klucb through sim::run: plan, threads, statistics and fold included; items are replica-rounds.
Work run_work(std::int64_t replicas, std::int64_t horizon, int threads);

/// One call of engine_work with the stages timed.
struct Profiled {
  std::array<double, kernel::kStageNames.size()> seconds{};  ///< by stage
  double other = 0;                                          ///< what no stage claims: preparation and records
  double decided_exactly = 0;                                ///< share of decisions that the vectors left to exact indices
  double rounds_per_look = 0;                                ///< of the rounds that were leapt over; 0: none was
};
Profiled profile(const EngineCase& given);

/// "avx2", or "scalar" for the reference.
std::string target_name(const kernel::Target* target);
/// The targets that this CPU can run, best first.
std::vector<const kernel::Target*> supported_targets();

}  // namespace dbandit::bench
