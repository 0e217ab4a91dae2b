#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// Two arms, short delays and a short window: what most tests of jobs run on. They say how long, of whom, and how often.
inline Settings small_problem(std::int64_t horizon, std::vector<Policy> policies, std::int64_t replicas,
                              std::vector<std::int64_t> at = {}) {
  Settings spec;
  spec.theta = {0.5, 0.3};
  spec.delay = model::Geometric{5};
  spec.censor = 10;
  spec.horizon = horizon;
  spec.policies = std::move(policies);
  spec.replicas = replicas;
  spec.at = std::move(at);
  return spec;
}

/// The paper's: low rates, delays of mean 500, a window of 1000.
inline Settings papers_problem(std::vector<Policy> policies) {
  Settings spec;
  spec.theta = {0.1, 0.05, 0.03};
  spec.delay = model::Geometric{500};
  spec.censor = 1000;
  spec.horizon = 10000;
  spec.policies = std::move(policies);
  return spec;
}

/// Settings, by the engine that is the paper written literally.
inline Settings by_reference(Settings spec) {
  spec.engine = Engine::reference;
  spec.exposure = model::Exposure::buffer;
  spec.solver = model::Solver::bisection;
  return spec;
}

}  // namespace dbandit::sim
