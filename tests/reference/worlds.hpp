#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "dbandit/model/experiment.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "dbandit/stats/moments.hpp"
#include "reference/simulate.hpp"
#include "rng/candidates.hpp"
#include "rng/draws.hpp"

namespace dbandit::policy {
inline void PrintTo(const Entry& entry, std::ostream* out) { *out << entry.id; }
}  // namespace dbandit::policy

/// What the tests of the reference share: experiments from the catalogue, paths, and the literal sums over draws that they
/// are compared with. Nothing here calls reference:: except `simulate`.
namespace dbandit::testing {

inline std::vector<std::int64_t> every_round(std::int64_t horizon) {
  std::vector<std::int64_t> rounds(static_cast<std::size_t>(horizon));
  std::iota(rounds.begin(), rounds.end(), 1);
  return rounds;
}

/// A policy of the catalogue in its own setting.
inline model::Experiment experiment(const policy::Entry& entry, model::Problem problem, model::Window window, std::int64_t horizon,
                                    std::uint64_t seed = 1) {
  model::Experiment experiment{.problem = std::move(problem),
                               .window = entry.setting == policy::Setting::uncensored ? model::Window{} : window,
                               .rule = {.statistic = entry.statistic, .index = entry.index, .family = entry.family},
                               .horizon = horizon,
                               .seed = seed,
                               .at = {horizon}};
  return experiment;
}

inline model::Paths paths(const model::Experiment& experiment, std::size_t replicas, model::Exposure exposure = model::Exposure::buffer,
                          std::uint64_t first = 0) {
  model::Paths paths;
  paths.traced = true;
  reference::simulate(experiment, {.first = first, .count = replicas}, exposure, paths);
  return paths;
}

inline stats::Moments row(const AlignedVector<double>& rows, const model::Paths& paths, std::size_t row, std::size_t replicas) {
  return stats::moments({rows.data() + row * paths.lanes, replicas});
}

/// How many standard errors the sample's mean is from `expected`.
inline double z_score(const stats::Moments& sample, double expected) { return (sample.mean - expected) / sample.standard_error(); }
inline double z_score(std::span<const double> sample, double expected) { return z_score(stats::moments(sample), expected); }

/// C_s and D_s of one replica's round, from their addresses.
struct Draw {
  rng::Candidates candidates;
  std::uint64_t replica, round;
  std::int64_t delay;  ///< D_s

  [[nodiscard]] bool converts(double rate) const { return candidates.converts(replica, round, rate); }
};
inline Draw draw(const model::Experiment& e, std::uint64_t replica, std::int64_t round, std::size_t arm = 0) {
  const auto s = static_cast<std::uint64_t>(round);
  return {rng::Candidates::of(e.seed, e.problem.theta), replica, s,
          model::delay_at(e.problem.delay[arm], rng::open_uniform(rng::delay_bits(e.seed, replica, s)))};
}

/// min(t−s, m).
inline std::int64_t visible_age(const model::Window& window, std::int64_t t, std::int64_t s) {
  return std::min(t - s, window.value_or(t - s));
}

/// A suite over the catalogue: instantiate it over EachPolicy() with kPolicyName, an id as the name of a test.
inline auto EachPolicy() { return ::testing::ValuesIn(policy::catalogue().begin(), policy::catalogue().end()); }
inline constexpr auto kPolicyName = [](const auto& info) {
  std::string name(info.param.id);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
};

}  // namespace dbandit::testing
