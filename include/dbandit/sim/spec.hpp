#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dbandit/model/experiment.hpp"

namespace dbandit::sim {

enum class Engine { simd, reference };

/// The delays that the policies are told. No laws at all stands for `common`: one geometric law of the arms' average mean.
using Assumption = std::optional<model::Delays>;

/// What is simulated: everything that can change a byte of the results, and nothing else (threads, target and output
/// are RunOptions). Valid once `validate` has passed; immutable after.
struct Spec {
  std::vector<double> theta;
  model::Delays delay;
  Assumption assume_delay;  ///< what the policies believe; none: the world's
  model::Window censor;     ///< none: only policies of the uncensored setting can run
  std::int64_t horizon = 0;
  std::vector<std::string> policies;  ///< ids of policy::catalogue()
  std::int64_t replicas = 1000;
  std::string until = "none";  ///< when fewer replicas are enough, as in "regret:0.5%" (sim/until.hpp)
  std::uint64_t seed = 1;
  double epsilon = 0;
  model::Clamp clamp = model::Clamp::one;
  model::Ties ties = model::Ties::random;
  model::StartOrder start = model::StartOrder::permuted;
  model::Radius radius = model::Radius::covering;
  double gamma = 1;
  std::vector<std::int64_t> at;  ///< recorded rounds; empty: default_rounds(horizon)
  Engine engine = Engine::simd;
  model::ExposureChoice exposure;
  model::Solver solver = model::Solver::direct;

  friend bool operator==(const Spec&, const Spec&) = default;
};

/// Log-spaced rounds, about `most` of them, 1 and the horizon included.
std::vector<std::int64_t> default_rounds(std::int64_t horizon, std::int64_t most = 200);

/// The delays that the policies believe in.
model::Delays believed(const Spec& spec);

/// The experiment of one of the spec's policies: the rule from the catalogue, the window from its setting.
model::Experiment experiment(const Spec& spec, const std::string& policy);

}  // namespace dbandit::sim
