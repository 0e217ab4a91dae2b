#include "report/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text.hpp"
#include "model/geometric_fit.hpp"

namespace dbandit::report {
namespace {

constexpr double kPrecise = 0.05;      // what is proposed instead
constexpr double kMostlyHidden = 0.1;  // τ_m below which a policy learns from next to nothing
constexpr double kMostlyShown = 0.9;
// Measured: d-ts and d-klucb, Weibull delays, three arms; a fit costs what a hundred rounds of the buffer cost.
constexpr double kRoundsOfAFit = 100;
constexpr double kManyTimes = 50;

std::optional<std::string> replica_advice(const sim::Result& result) {
  const double count = result.stats.policies.front().regret.back().count;
  if (count < kFewReplicas)
    return fmt::format("{} for a 95 % interval, which takes their mean for normal; --replicas 1000",
                       count == 1 ? "1 replica is few" : fmt::format("{} replicas are few", count));
  std::optional<std::string> line;
  double widest = kWideInterval;
  for (std::size_t p = 0; p < result.spec->policies.size(); ++p) {
    const stats::Moments& regret = result.stats.policies[p].regret.back();
    const double share = stats::half_width_95(regret) / regret.mean;
    if (!(share > widest) || !(regret.mean > 0)) continue;
    widest = share;
    const double needed = std::pow(share / kPrecise, 2) * count;
    line = fmt::format("the interval of {} is ± {:.0f} % of its regret; --replicas {} makes it about ± {:.0f} %",
                       result.spec->policies[p].id, 100 * share, round_number(needed), 100 * kPrecise);
  }
  return line;
}

/// The smallest window of two digits that shows most conversions; none when none does.
std::optional<std::int64_t> wider_window(const sim::Spec& spec) {
  std::int64_t hidden = *spec->censor, shown = hidden;
  while (model::cdf(spec->delay, shown) < kMostlyShown) {
    hidden = shown;
    shown *= 2;
    if (shown > spec->horizon) return std::nullopt;
  }
  while (shown - hidden > 1) {
    const std::int64_t middle = hidden + (shown - hidden) / 2;
    (model::cdf(spec->delay, middle) < kMostlyShown ? hidden : shown) = middle;
  }
  return static_cast<std::int64_t>(round_number(static_cast<double>(shown)));
}

}  // namespace

double round_number(double value) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(value)) - 1));
  return unit * std::ceil(value / unit);
}

std::optional<std::string> censoring_advice(const sim::Spec& spec) {
  if (std::ranges::none_of(spec->policies, [&](const sim::Policy& policy) { return spec.window(policy).has_value(); })) return std::nullopt;
  const double shown = model::cdf(spec->delay, *spec->censor);
  if (shown >= kMostlyHidden) return std::nullopt;
  const auto wider = wider_window(spec);
  return fmt::format("a window of {} shows {:.2g} % of the conversions, the others are lost; {}", *spec->censor, 100 * shown,
                     wider ? fmt::format("--censor {} shows 90 %", *wider) : "no --censor within the horizon shows 90 %");
}

std::optional<std::string> cost_advice(const sim::Spec& spec) {
  if (spec.exposure() != model::Exposure::buffer || spec.engine() == sim::Engine::reference || model::has_recursion(spec.believed())) {
    return std::nullopt;
  }
  const std::int64_t longest = model::longest(spec.believed());
  for (const sim::Policy& policy : spec->policies) {
    if (policy.is_guest()) continue;
    const model::Experiment experiment = sim::experiment(spec, policy);
    // A policy that leaps looks at its sums in few rounds only.
    if (experiment.rule.statistic != model::Statistic::exposure || experiment.leap_after) continue;
    const std::int64_t reach = std::min({spec.window(policy).value_or(spec->horizon), longest, spec->horizon});
    const auto m = static_cast<double>(reach), rounds = static_cast<double>(spec->horizon);
    const double times = (m - m * m / (2 * rounds)) / kRoundsOfAFit;
    if (times < kManyTimes || reach > model::kLongestFit) continue;
    constexpr double kError = 1e-6;
    double error = 0;
    for (const model::DelayLaw& law : spec.believed().laws) error = std::max(error, model::fit_geometrics(law, reach, kError)->error);
    return fmt::format(
        "{} has no recursion: in every round {} sums up to {} past ones; --exposure approx:{:.2g} is about {} times as fast, "
        "with that certified error",
        model::short_delays_text(spec.believed()), policy.id, reach, error <= kError ? kError : 1.1 * error, round_number(times));
  }
  return std::nullopt;
}

std::vector<std::string> advice(const sim::Result& result) {
  std::vector<std::string> lines;
  for (auto& line : {replica_advice(result), censoring_advice(result.spec)}) {
    if (line) lines.push_back(*line);
  }
  return lines;
}

std::vector<std::string> thread_advice(int threads, const sim::Cores& cores) {
  if (threads <= cores.of_each_rank()) return {};
  const std::string who = cores.ranks == 1
                              ? counted(threads, "thread")
                              : fmt::format("{} of {} each on this machine", counted(cores.ranks, "rank"), counted(threads, "thread"));
  const bool by_quota = cores.quota < (cores.ranks > 1 ? cores.together : cores.allowed);
  const std::string why = by_quota          ? fmt::format("the control group has a quota of {:.2f} cores", cores.quota)
                          : cores.ranks > 1 ? fmt::format("they may use {}, {} each", counted(cores.together, "core"), cores.allowed)
                                            : fmt::format("the process may use {}", counted(cores.allowed, "core"));
  // Both numbers are below what was given: fewer threads as long as every rank keeps one, then fewer ranks.
  const int each = cores.of_each_rank();
  return {fmt::format("{}, but {}: they take turns; {}", who, why,
                      each > 0
                          ? fmt::format("--threads {}", each)
                          : fmt::format("start {} here{}", counted(cores.of_ranks(), "rank"), threads > 1 ? ", with --threads 1" : ""))};
}

}  // namespace dbandit::report
