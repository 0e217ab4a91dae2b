#include "study/league.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "dbandit/policy/catalogue.hpp"
#include "sim/sums.hpp"

namespace dbandit::study {
namespace {

bool takes_part(const policy::Entry& entry, Division division) {
  return (entry.setting == policy::Setting::uncensored) == (division == Division::no_window);
}

/// An oracle sees what nobody can, and uniform play looks at nothing.
bool is_ranked(const policy::Entry& entry) {
  return entry.statistic != model::Statistic::immediate && entry.statistic != model::Statistic::none;
}

const stats::Moments& final_regret(const sim::Result& result, std::string_view policy) {
  return moments_at(result, policy, "regret", result.spec->horizon);
}

/// Mean and standard error of a's regret minus b's.
stats::Moments paired(const sim::Result& result, std::size_t a, std::size_t b) {
  stats::Moments moments = result.stats.paired[sim::pair_index(std::min(a, b), std::max(a, b), result.spec->policies.size())];
  if (a > b) moments.mean = -moments.mean;
  return moments;
}

std::size_t index_of(const sim::Result& result, std::string_view policy) {
  return static_cast<std::size_t>(std::ranges::find(result.spec->policies, policy, &sim::Policy::id) - result.spec->policies.begin());
}

/// P(range of `count` standard normal deviates ≤ r) = k ∫ φ(x) (Φ(x) − Φ(x − r))^{k−1} dx, by Simpson's rule.
double range_below(double r, std::size_t count) {
  const auto cdf = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  const auto at = [&](double x) { return std::exp(-x * x / 2) * std::pow(cdf(x) - cdf(x - r), static_cast<double>(count) - 1); };
  constexpr int kSteps = 400;
  const double low = -8, high = 8 + r, width = (high - low) / kSteps;
  double sum = at(low) + at(high);
  for (int i = 1; i < kSteps; ++i) sum += (i % 2 == 1 ? 4 : 2) * at(low + i * width);
  return static_cast<double>(count) * sum * width / 3 / std::sqrt(2 * std::acos(-1.0));
}

}  // namespace

std::string_view words(Division division) { return division == Division::window ? "with a window" : "without a window"; }

std::vector<Place> places(const sim::Result& result, Division division) {
  std::vector<Place> places;
  for (const auto& [id, entry, hash] : result.spec->policies) {
    if (!takes_part(*entry, division)) continue;
    places.push_back({.policy = id, .regret = final_regret(result, id), .ranked = is_ranked(*entry)});
  }
  const auto best = std::ranges::min_element(
      places, {}, [](const Place& place) { return place.ranked ? place.regret.mean : std::numeric_limits<double>::infinity(); });
  assert(best != places.end());
  const std::size_t winner = index_of(result, best->policy);
  const double least = best->regret.mean;
  for (Place& place : places) {
    place.rank = 1;
    for (const Place& other : places) {
      if (!other.ranked || other.policy == place.policy) continue;
      // Equal regrets share their ranks.
      place.rank += other.regret.mean < place.regret.mean ? 1 : other.regret.mean == place.regret.mean ? 0.5 : 0;
    }
    place.over_best = place.regret.mean / least;
    if (place.policy == result.spec->policies[winner].id) continue;
    const stats::Moments lag = paired(result, index_of(result, place.policy), winner);
    place.behind = interval_of(lag);
    place.p = lag.standard_error() > 0 ? std::erfc(std::abs(lag.mean) / lag.standard_error() / std::sqrt(2.0)) : 1;
  }
  return places;
}

std::vector<Standing> standings(std::span<const sim::Result> results, std::span<const Match> matches, Division division) {
  std::vector<Standing> table;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::vector<Place> played = places(results[i], division);
    if (table.empty()) {
      for (const Place& place : played) table.push_back({.policy = place.policy, .ranked = place.ranked, .over_best = 0, .worst = 0});
    }
    for (std::size_t p = 0; p < played.size(); ++p) {
      Standing& row = table[p];
      row.mean_rank += played[p].rank / static_cast<double>(results.size());
      row.over_best += std::log(played[p].over_best) / static_cast<double>(results.size());
      if (played[p].over_best > row.worst) {
        row.worst = played[p].over_best;
        row.worst_in = matches[i].problem->name;
      }
      if (!played[p].ranked) continue;
      const bool best =
          std::ranges::none_of(played, [&](const Place& other) { return other.ranked && other.regret.mean < played[p].regret.mean; });
      row.best += best;
      row.undecided += !best && played[p].behind.low <= 0;
    }
  }
  for (Standing& row : table) row.over_best = std::exp(row.over_best);
  std::ranges::stable_sort(table, [](const Standing& a, const Standing& b) {
    return a.ranked != b.ranked ? a.ranked : a.ranked ? a.mean_rank < b.mean_rank : a.over_best < b.over_best;
  });
  return table;
}

double critical_difference(std::size_t policies, std::size_t matches) {
  if (policies < 2) return 0;
  double low = 0, high = 20;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (range_below(middle, policies) < 0.95 ? low : high) = middle;
  }
  const auto k = static_cast<double>(policies);
  return low / std::sqrt(2.0) * std::sqrt(k * (k + 1) / (6 * static_cast<double>(matches)));
}

bool needs_the_law(std::string_view policy) {
  const model::Statistic statistic = policy::find(policy)->statistic;
  return statistic == model::Statistic::exposure || statistic == model::Statistic::queue_heuristic;
}

}  // namespace dbandit::study
