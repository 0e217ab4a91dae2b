#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "study/league_words.hpp"

namespace dbandit::study {
namespace {

/// The ranked policy of least mean ratio in a problem, among those that are told nothing of the delays if so asked.
std::string best_in(const Unit& unit, bool told_nothing) {
  std::string best;
  for (const Place& place : unit.places.front()) {
    if (!place.ranked || (told_nothing && knowledge(*policy::find(place.policy)).of_delays())) continue;
    if (best.empty() || unit.log_ratio(place.policy) < unit.log_ratio(best)) best = place.policy;
  }
  return best;
}

const Unit* unit_of(std::span<const Unit> units, std::string_view problem) {
  const auto found = std::ranges::find_if(units, [&](const Unit& unit) { return unit.problem->name == problem; });
  return found == units.end() ? nullptr : &*found;
}

}  // namespace

std::string times(double ratio) {
  if (!std::isfinite(ratio)) return "–";
  return ratio < 9.995 ? fmt::format("{:.2f}", ratio) : fmt::format("{:.0f}", ratio);
}
std::string times(const Interval& ratio) { return fmt::format("{} [{}, {}]", times(ratio.value), times(ratio.low), times(ratio.high)); }

std::string rank_words(std::size_t first, std::size_t last) {
  return first == 0 ? "–" : first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last);
}

void markdown_table(std::string& text, const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows) {
  const auto line = [&](const std::vector<std::string>& cells) { text += fmt::format("| {} |\n", fmt::join(cells, " | ")); };
  line(heading);
  text += '|';
  for (std::size_t i = 0; i < heading.size(); ++i) text += i == 0 ? "---|" : "---:|";
  text += '\n';
  for (const auto& row : rows) line(row);
  text += '\n';
}

void write_problem_winners(std::string& text, std::span<const Unit> units) {
  std::vector<std::vector<std::string>> rows;
  for (const Unit& unit : units) {
    std::vector<std::string> as_good;
    const std::string best = best_in(unit, false), blind = best_in(unit, true);
    for (const Place& place : unit.places.front()) {
      if (place.ranked && place.policy != best && !unit.is_behind(place.policy)) as_good.push_back(place.policy);
    }
    rows.push_back({unit.problem->name, best, as_good.empty() ? "–" : fmt::format("{}", fmt::join(as_good, ", ")), blind,
                    times(std::exp(unit.log_ratio(blind) - unit.log_ratio(best)))});
  }
  markdown_table(text, {"problem", "least regret", "not told from the best", "least, told nothing of the delays", "its regret / the least"},
                 rows);
  text +=
      "least regret: by the mean over both horizons of ln regret. not told from the best: at neither horizon is it shown at 5 % that "
      "somebody "
      "is better: paired tests against the best, whose p-values are multiplied by the number of rivals, since the best was chosen on the "
      "replicas it is tested on, and corrected by Holm's method over all policies and both horizons of the problem. The least of noisy "
      "means "
      "is a little too small, so what is divided by it is a little too large, for everybody alike: ratios between policies and ranks do "
      "not "
      "depend on it.\n\n";
}

void write_priors(std::string& text, std::span<const Unit> units) {
  std::vector<std::vector<std::string>> rows;
  for (const Place& place : units.front().places.front()) {
    const std::string base(place.policy.substr(0, place.policy.find('(')));
    if (base == place.policy) continue;
    const Interval apart = log_lag(units, place.policy, base);
    double worst = 0;
    std::string worst_in;
    for (const Unit& unit : units) {
      const double ratio = std::exp(unit.log_ratio(place.policy) - unit.log_ratio(base));
      if (ratio > worst) worst = ratio, worst_in = unit.problem->name;
    }
    rows.push_back({place.policy, times({std::exp(apart.value), std::exp(apart.low), std::exp(apart.high)}),
                    fmt::format("{} ({})", times(worst), worst_in)});
  }
  text += "## Priors of the samplers\n\n";
  markdown_table(text, {"policy", "regret / with the prior of mean 1", "at worst"}, rows);
}

void write_beliefs(std::string& text, std::span<const sim::Result> results, std::span<const Match> matches) {
  text +=
      "## Another law than the world's\n\nOnly for those that are told a law or τ_m; everybody else plays as if nothing had changed, and "
      "the world is no further problem for them. Regret over the same policy's with the right law, and over the least of those that are "
      "told nothing; geometric means over both horizons.\n\n";
  for (const Division division : kDivisions) {
    const std::vector<Unit> all = units(results, matches, division);
    std::vector<std::string> heading{"policy, " + std::string(words(division))};
    std::vector<std::vector<std::string>> rows;
    for (const LeagueProblem& problem : other_beliefs()) {
      const Unit* const world = unit_of(all, problem.world);
      if (world == nullptr) continue;
      heading.push_back(problem.name);
      const std::string blind = best_in(*world, true);
      std::map<std::string, double> log_regret;
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (matches[i].problem != &problem) continue;
        for (std::size_t p = 0; p < results[i].spec->policies.size(); ++p) {
          log_regret[results[i].spec->policies[p].id] +=
              std::log(std::max(results[i].stats.policies[p].regret.back().mean, 1e-6)) / static_cast<double>(world->places.size());
        }
      }
      const auto of_world = [&](std::string_view policy) {
        double sum = 0;
        for (std::size_t h = 0; h < world->places.size(); ++h)
          sum += std::log(std::max(world->find(h, policy)->regret.mean, 1e-6)) / static_cast<double>(world->places.size());
        return sum;
      };
      for (const auto& [policy, regret] : log_regret) {
        if (world->find(0, policy) == nullptr) continue;
        auto row = std::ranges::find_if(rows, [&, &name = policy](const auto& cells) { return cells.front() == name; });
        if (row == rows.end()) row = rows.insert(rows.end(), {policy});
        row->push_back(fmt::format("{} / {}", times(std::exp(regret - of_world(policy))),
                                   blind.empty() ? "–" : times(std::exp(regret - of_world(blind)))));
      }
    }
    if (!rows.empty()) markdown_table(text, heading, rows);
  }
}

void write_tuned(std::string& text, std::span<const sim::Result> results, std::span<const Match> matches) {
  std::vector<std::vector<std::string>> rows;
  for (const Tuned& one : tuned(results, matches))
    rows.push_back({one.policy, fmt::format("{}", one.epsilon), one.epsilon == 0 ? "1" : times(one.over_paper)});
  text += fmt::format(
      "## Exploration, tuned for everyone alike\n\nβ(t) = (1+ε) ln t. The standings have ε = 0, as the papers' experiments; here ε is "
      "the one of {} with the least regret on {} other problems, at T = {}, other seeds. 0 is the end of what is allowed: where it is "
      "chosen, less might be better still.\n\n",
      fmt::join(kExplorations, ", "), tuning_problems().size(), kLeagueHorizons[0]);
  markdown_table(text, {"policy", "ε", "regret on the problems / with ε = 0"}, rows);
}

/// phased-elimination drops an arm of gap Δ in the first phase ℓ with 2^−ℓ < Δ, after n_ℓ = ⌈2 · 4^ℓ ln T⌉ pulls of each arm.
void write_radii(std::string& text, std::span<const Unit> units, std::span<const Match> matches) {
  const std::int64_t horizon = kLeagueHorizons[1];
  std::vector<std::vector<std::string>> rows;
  for (const Unit& unit : units) {
    const auto match = std::ranges::find_if(matches, [&](const Match& one) { return one.problem == unit.problem; });
    // A share of matured pulls is that of the conversions that the window shows.
    std::vector<double> theta = match->spec->theta;
    for (std::size_t k = 0; k < theta.size(); ++k) theta[k] *= model::cdf(match->spec->delay[k], *match->spec->censor);
    const double best = *std::ranges::max_element(theta), worst = *std::ranges::min_element(theta);
    const double phase = std::floor(std::log2(1 / (best - worst))) + 1, arms = static_cast<double>(theta.size());
    const double pulls = arms * std::ceil(2 * std::pow(4, phase) * std::log(static_cast<double>(horizon)));
    const auto ratio = [&](std::string_view policy) {
      const Place *const place = unit.find(unit.places.size() - 1, policy), *const uniform = unit.find(unit.places.size() - 1, "uniform");
      return place != nullptr && uniform != nullptr ? times(place->regret.mean / uniform->regret.mean) : std::string("–");
    };
    rows.push_back({unit.problem->name, fmt::format("{:.3g}", best - worst), fmt::format("{:.3g}", pulls),
                    pulls > static_cast<double>(horizon) ? "never" : fmt::format("round {:.2g}", pulls), ratio("phased-elimination"),
                    ratio("etc")});
  }
  text += fmt::format(
      "## What Hoeffding's radii do at low rates\n\n`etc` and `phased-elimination` drop an arm by radii √(ln(…)/2M), which are those of "
      "a fair coin: a rate of 0.01 has 1/25 of its variance, and the radius does not see that. So at low rates and small gaps they drop "
      "nothing for as long as it takes to tell coins apart, and play the arms in turn until then. At T = {}, for the worst arm:\n\n",
      horizon);
  markdown_table(text,
                 {"problem", "largest visible gap", "rounds until a phase drops it", "it is dropped",
                  "phased-elimination's regret / uniform play's", "etc's"},
                 rows);
}

}  // namespace dbandit::study
