#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "dbandit/model/delay_law.hpp"
#include "fit/counts.hpp"
#include "fit/families.hpp"
#include "study/click_log.hpp"

namespace dbandit::test {

/// One click by itself: observed for so many rounds, converted after `delay`, or not (−1).
struct Observation {
  std::size_t arm;
  std::int64_t rounds, delay;
};

inline fit::Counts counted(const std::vector<Observation>& clicks, std::size_t arms) {
  std::vector<std::map<std::int64_t, std::int64_t>> delays(arms), waiting(arms), observed(arms);
  for (const auto& [arm, rounds, delay] : clicks) {
    if (rounds < 1) continue;
    ++observed[arm][rounds];
    if (delay >= 0 && delay < rounds) {
      ++delays[arm][delay];
    } else {
      ++waiting[arm][rounds];
    }
  }
  const auto list = [](const std::map<std::int64_t, std::int64_t>& counts) {
    std::vector<fit::Count> all;
    for (const auto& [rounds, count] : counts) all.push_back({rounds, count});
    return all;
  };
  fit::Counts all;
  for (std::size_t k = 0; k < arms; ++k) all.push_back({std::to_string(k), list(delays[k]), list(waiting[k]), list(observed[k])});
  return all;
}

/// Clicks with ages of their own, up to `longest` rounds.
inline std::vector<Observation> sample(const model::DelayLaw& law, const std::vector<double>& rates, std::size_t clicks,
                                       std::int64_t longest, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(1e-12, 1);
  std::vector<Observation> all;
  for (std::size_t i = 0; i < clicks; ++i) {
    Observation one{random() % rates.size(), 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(longest)), -1};
    if (uniform(random) < rates[one.arm]) {
      const std::int64_t delay = model::delay_at(law, uniform(random));
      if (delay < one.rounds) one.delay = delay;
    }
    all.push_back(one);
  }
  return all;
}

inline const fit::Family& family(std::string_view name) {
  for (const fit::Family& one : fit::families()) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no such family");
}

/// The log of each replica of a world, as counts.
inline std::vector<fit::Counts> simulated(const sim::Settings& settings) {
  const sim::Spec spec(settings);
  std::vector<std::vector<Observation>> clicks(static_cast<std::size_t>(settings.replicas));
  study::for_each_click(
      spec, spec->policies.front(), static_cast<std::uint64_t>(settings.replicas), nullptr, [&](const study::Click& click) {
        clicks[click.replica].push_back({click.arm, click.end - click.start, click.conversion > 0 ? click.conversion - click.start : -1});
      });
  std::vector<fit::Counts> logs;
  for (const auto& log : clicks) logs.push_back(counted(log, settings.theta.size()));
  return logs;
}

}  // namespace dbandit::test
