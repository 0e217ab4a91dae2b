#include "report/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.hpp"
#include "report/advice.hpp"

namespace dbandit::report {
namespace {

Finding intervals(const StoredResult& result) {
  double widest = 0;
  std::string whose;
  for (const StoredResult::Policy& policy : result.policies) {
    const double share = stats::half_width_95(policy.regret) / std::abs(policy.regret.mean);
    if (share > widest) widest = share, whose = policy.id;
  }
  const double count = result.policies.front().regret.count;
  Finding finding{"intervals",
                  counted(count, "replica") + (std::isfinite(widest)
                                                   ? fmt::format("; the widest is ± {:.2g} % of the mean regret, {}'s", 100 * widest, whose)
                                                   : "; so few have no interval"),
                  ""};
  if (count < kFewReplicas) {
    finding.fix = "--replicas 1000: a 95 % interval takes the mean of the replicas for normal";
  } else if (widest > kWideInterval) {
    finding.fix = fmt::format("--replicas {:.0f} makes it about ± 5 %", round_number(std::pow(widest / 0.05, 2) * count));
  }
  return finding;
}

/// Neighbours in the order of the means whose difference is within what two independent intervals allow.
Finding order(const StoredResult& result) {
  std::vector<StoredResult::Policy> sorted = result.policies;
  std::ranges::sort(sorted, {}, [](const StoredResult::Policy& policy) { return policy.regret.mean; });
  std::string close;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    const stats::Moments &a = sorted[i - 1].regret, &b = sorted[i].regret;
    if (b.mean - a.mean < std::hypot(stats::half_width_95(a), stats::half_width_95(b))) {
      close += fmt::format("{}{} and {}", close.empty() ? "" : "; ", sorted[i - 1].id, sorted[i].id);
    }
  }
  if (close.empty()) return {"order", "the intervals of the means separate all policies", ""};
  return {"order", "not separated by their intervals: " + close,
          "read the column 'behind the best', which is paired, or --until paired:A,B:±0.1"};
}

/// An order statistic above the quantile p exists among n replicas, but for a chance of 2.5 %, if p^n ≤ 0.025.
Finding quantiles(const StoredResult& result) {
  struct Level {
    double p;
    const char* name;
  };
  const double count = result.policies.front().regret.count;
  std::string supported, missing;
  double needed = 0;
  for (const auto& [p, name] : {Level{0.9, "p90"}, Level{0.95, "p95"}, Level{0.99, "p99"}}) {
    const double least = std::ceil(std::log(0.025) / std::log(p));
    if (count >= least) {
      supported = name;
    } else if (missing.empty()) {
      missing = name, needed = least;
    }
  }
  const std::string found = fmt::format("{} {} {}", counted(count, "replica"), count == 1 ? "supports" : "support",
                                        supported.empty() ? "no quantile beyond the median" : "quantiles up to " + supported);
  if (missing.empty()) return {"quantiles", found, ""};
  return {"quantiles", found, fmt::format("--replicas {:.0f}, or more, for an interval of {}", round_number(needed), missing)};
}

Finding window(const StoredResult& result) {
  const sim::Spec& spec = result.spec;
  if (!spec->censor) return {"window", "none: every conversion is seen in the end", ""};
  const double shown = model::cdf(spec->delay, *spec->censor);
  return {
      "window",
      fmt::format("{} {} {:.3g} % of the conversions", counted(*spec->censor, "round"), *spec->censor == 1 ? "shows" : "show", 100 * shown),
      censoring_advice(spec).value_or("")};
}

Finding horizon(const StoredResult& result) {
  const sim::Spec& spec = result.spec;
  constexpr double kFewWindows = 3;
  const double mean = model::mean(spec->delay[0]), wait = spec->censor ? static_cast<double>(*spec->censor) : mean;
  if (!(wait > 0)) return {"horizon", fmt::format("T = {}, no wait", spec->horizon), ""};
  const double times = static_cast<double>(spec->horizon) / wait;
  Finding finding{"horizon", fmt::format("T is {:.3g} {}", times, spec->censor ? "windows" : "mean delays"), ""};
  if (times < kFewWindows) {
    finding.fix =
        fmt::format("--horizon {:.0f}, or more: below that most of the regret is of the first, blind rounds", round_number(10 * wait));
  }
  return finding;
}

Finding ties(const StoredResult& result) {
  const sim::Spec& spec = result.spec;
  const bool lowest = spec->ties == model::Ties::lowest, fixed = spec->start == model::StartOrder::fixed;
  if (!lowest && !fixed) return {"ties", "at random; the arms are first tried in a random order", ""};
  return {"ties", lowest ? "the arm listed first wins ties" : "the arms are first tried in the order in which they are listed",
          "--ties random --start permuted: else a problem that lists its best arm first helps every policy"};
}

Finding prior(const StoredResult& result) {
  const sim::Spec& spec = result.spec;
  const bool samples = std::ranges::any_of(result.policies, [](const StoredResult::Policy& policy) {
    return policy.id.find("-ts") != std::string::npos || policy.id.starts_with("sdb");
  });
  if (!samples) return {"prior", "no policy has one", ""};
  const double largest = *std::ranges::max_element(spec->theta);
  Finding finding{"prior",
                  fmt::format("Gamma({}, rate {}), which weighs like S = {} on an exposure of {}", spec->prior_shape, spec->prior_rate,
                              spec->prior_shape, spec->prior_rate),
                  ""};
  if (spec->prior_shape < largest * spec->prior_rate / 2 || spec->prior_shape > 10) {
    finding.fix = "--prior-shape 1 --prior-rate 1: this one is sure of rates that the problem may not have";
  }
  return finding;
}

Finding beliefs(const StoredResult& result) {
  const sim::Spec& spec = result.spec;
  if (!spec->assume_delay) return {"beliefs", "policies that know a law of the delays know the true one", ""};
  return {"beliefs",
          fmt::format("the policies believe in {}, the world has {}", model::short_delays_text(spec.believed()),
                      model::short_delays_text(spec->delay)),
          ""};
}

constexpr auto kChecks =
    std::to_array<Finding (*)(const StoredResult&)>({intervals, order, quantiles, window, horizon, ties, prior, beliefs});

}  // namespace

std::vector<Finding> diagnosis(const StoredResult& result) {
  std::vector<Finding> findings;
  for (const auto check : kChecks) findings.push_back(check(result));
  return findings;
}

}  // namespace dbandit::report
