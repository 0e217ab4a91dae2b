#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dbandit/model/bounds.hpp"
#include "study/judges.hpp"
#include "study/slopes.hpp"

/// A theorem about liminf or limsup is neither shown nor refuted by any finite horizon. What can be measured is growth per ln T decade by
/// decade, within the replica, over the constant of the theorem: where it is, and which way it goes.
namespace dbandit::study {
namespace {

bool is_censored(std::string_view policy) { return !policy.starts_with("ud-") && !policy.starts_with("oracle-"); }

const model::Slopes& slopes(const sim::Result& run, std::string_view policy) { return is_censored(policy) ? run.censored : run.uncensored; }

struct Case {
  std::string run, policy;
};

constexpr std::int64_t kFirst = 10'000;

/// Growth over a constant, decade by decade from 10^4 on.
std::vector<Interval> trend(const sim::Result& run, std::string_view policy, double constant) {
  std::vector<Interval> decades;
  for (std::int64_t from = kFirst; from < run.spec->horizon; from *= 10) {
    decades.push_back(scaled(growth(run, policy, from, 10 * from), 1 / constant));
  }
  return decades;
}

/// By how much the last decade is above the one before.
Interval rise(std::span<const Interval> decades) { return difference(decades.back(), decades[decades.size() - 2]); }

void tell(Finding& finding, const Case& which, std::string_view over, std::span<const Interval> decades) {
  std::int64_t from = kFirst;
  for (const Interval& ratio : decades) {
    finding.measured.push_back(
        {from == kFirst ? fmt::format("{} ({}), growth over {}, {}", which.policy, which.run, over, decade(from)) : decade(from), ratio});
    from *= 10;
  }
}

/// For a lower bound on every policy in the limit. Below it at a finite horizon is what a limit allows: a sampler first lives on what its
/// prior made it explore, grows slower than the bound, and pays later. So only a policy that is below for two decades and moves away for
/// sure is a trend against it; one that has just fallen below it is not.
Finding lower_limit(const Evidence& evidence, std::span<const Case> cases) {
  Finding finding{.verdict = Verdict::open, .measured = {}};
  std::vector<std::string> below;
  for (const Case& which : cases) {
    const sim::Result& run = evidence.run(which.run);
    const std::vector<Interval> decades = trend(run, which.policy, slopes(run, which.policy).lower);
    tell(finding, which, "the bound", decades);
    if (decades.back().high >= 1) continue;
    const Interval step = rise(decades);
    const bool away = decades[decades.size() - 2].high < 1 && step.high < 0;
    finding.against = finding.against || away;
    below.push_back(fmt::format("{} ({}) at {:.2f} of it, {:+.2f} in a decade{}", which.policy, which.run, decades.back().value, step.value,
                                away ? ", away from it" : ""));
  }
  finding.scope = fmt::format("in the last decade {} of {} policies grow no slower than the bound{}{}", cases.size() - below.size(),
                              cases.size(), below.empty() ? "" : "; below it: ", fmt::join(below, ", "));
  return finding;
}

/// For an upper bound c ln T + o(ln T): growth over c falls to 1 or below, in the limit. Against it is a growth above c for sure that has
/// risen for sure, since the decade before and since the first.
template <class Constant>
Finding upper_limit(const Evidence& evidence, std::span<const Case> cases, Constant constant) {
  Finding finding{.verdict = Verdict::open, .measured = {}};
  std::array<std::vector<std::string>, 4> groups;
  constexpr std::array<std::string_view, 4> kWords{"is no longer above 1 for sure", "falls", "is above 1 and not seen to fall for sure",
                                                   "is above 1 and rises"};
  for (const Case& which : cases) {
    const sim::Result& run = evidence.run(which.run);
    const std::vector<Interval> decades = trend(run, which.policy, constant(run, which.policy));
    tell(finding, which, "the leading term", decades);
    if (decades.size() >= 3) {
      const auto limit = tends_to(decades[decades.size() - 3], decades[decades.size() - 2], decades.back());
      if (limit && limit->high - limit->low < 2)
        finding.measured.push_back({"where it leads if its steps keep shrinking as they do", *limit});
    }
    const Interval since_first = difference(decades.back(), decades.front());
    const bool above = decades.back().low > 1, risen = rise(decades).low > 0 && since_first.low > 0;
    finding.against = finding.against || (above && risen);
    groups[!above                 ? 0
           : since_first.high < 0 ? 1
           : risen                ? 3
                                  : 2]
        .push_back(fmt::format("{} ({}) {:.2f} to {:.2f}", which.policy, which.run, decades.front().value, decades.back().value));
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].empty()) continue;
    finding.scope += fmt::format("{}{}: {}", finding.scope.empty() ? "growth over the leading term, at most 1 in the limit, " : "; ",
                                 kWords[i], fmt::join(groups[i], ", "));
  }
  return finding;
}

/// As printed: the lower bound over 1 − θ*, times 1 + ε. Ours, Σ Δ/d_Pois, is smaller still.
double printed_klucb(const sim::Result& run, std::string_view policy) {
  return (1 + run.spec->epsilon) * slopes(run, policy).lower / (1 - *std::ranges::max_element(run.spec->theta));
}

}  // namespace

std::string decade(std::int64_t from) {
  const auto exponent = static_cast<int>(std::lround(std::log10(static_cast<double>(from))));
  return fmt::format("10^{} to 10^{}", exponent, exponent + 1);
}

Finding lower_bound_censored(const Evidence& evidence) {
  static const std::array<Case, 8> cases{{{"long/low", "d-klucb"},
                                          {"long/low", "discard-klucb"},
                                          {"long/low", "discard-bernkl"},
                                          {"long/low", "d-ucb"},
                                          {"long/low", "discard-ucb"},
                                          {"long/high", "d-klucb"},
                                          {"long/high", "d-ucb"},
                                          {"long/sampling", "d-ts"}}};
  return lower_limit(evidence, cases);
}

Finding lower_bound_uncensored(const Evidence& evidence) {
  static const std::array<Case, 4> cases{
      {{"long/uncensored", "ud-klucb"}, {"long/uncensored", "ud-ucb"}, {"long/high", "ud-klucb"}, {"long/high", "ud-ucb"}}};
  return lower_limit(evidence, cases);
}

Finding ucb_rate(const Evidence& evidence) {
  static const std::array<Case, 4> cases{
      {{"long/low", "d-ucb"}, {"long/high", "d-ucb"}, {"long/uncensored", "ud-ucb"}, {"long/high", "ud-ucb"}}};
  return upper_limit(evidence, cases, [](const sim::Result& run, std::string_view policy) { return slopes(run, policy).ucb; });
}

Finding klucb_rate(const Evidence& evidence) {
  static const std::array<Case, 4> cases{
      {{"long/low", "d-klucb"}, {"long/high", "d-klucb"}, {"long/uncensored", "ud-klucb"}, {"long/high", "ud-klucb"}}};
  return upper_limit(evidence, cases, printed_klucb);
}

Finding rates_with_epsilon(const Evidence& evidence) {
  static const std::array<Case, 2> cases{{{"long/epsilon", "d-ucb"}, {"long/epsilon", "d-klucb"}}};
  Finding finding = upper_limit(evidence, cases, [](const sim::Result& run, std::string_view policy) {
    return policy.ends_with("klucb") ? printed_klucb(run, policy) : slopes(run, policy).ucb;  // slopes have the factor 1 + ε
  });
  for (const std::string policy : {"d-ucb", "d-klucb"}) {
    const auto last = [&](const char* run) { return growth(evidence.run(run), policy, 1'000'000, 10'000'000); };
    finding.measured.push_back(
        {policy + "'s growth with ε = 0.2 over that with ε = 0, 10^6 to 10^7", ratio(last("long/epsilon"), last("long/low"))});
  }
  return finding;
}

// A cost that grows along with ln T would be a factor. Both have the same limit per ln T, so that it cannot be one for ever; whether what
// is left is bounded is a matter of limits. Against it is a cost whose growth rises for sure.
Finding delay_is_additive(const Evidence& evidence) {
  const sim::Result& run = evidence.run("long/uncensored");
  Finding finding;
  std::vector<Interval> more;
  for (std::int64_t round = kFirst; round <= run.spec->horizon; round *= 10) {
    const auto exponent = static_cast<int>(std::lround(std::log10(static_cast<double>(round))));
    const Interval cost = lag_at(run, "ud-klucb", "oracle-klucb", round);
    finding.measured.push_back(
        {round == kFirst ? "ud-klucb's regret minus that of the same index without delays at t = 10^4" : fmt::format("10^{}", exponent),
         cost});
    if (round > kFirst) more.push_back(scaled(growth_lag(run, "ud-klucb", "oracle-klucb", round / 10, round), std::log(10)));
  }
  finding.measured.push_back({"a mean delay of random play costs", exactly(500 * (0.05 + 0.07) / 3)});
  finding.measured.push_back({"growth of the one over the other, " + decade(run.spec->horizon / 10),
                              growth_ratio(run, "ud-klucb", "oracle-klucb", run.spec->horizon / 10, run.spec->horizon)});
  finding.verdict = Verdict::open;
  finding.against = more.back().low > 0 && rise(more).low > 0;
  finding.scope = fmt::format("the cost grows by {} in the first decade, by {} in the last", text(more.front()), text(more.back()));
  return finding;
}

}  // namespace dbandit::study
