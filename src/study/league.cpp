#include "study/league.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "sim/sums.hpp"
#include "stats/risk.hpp"
#include "stats/signed_rank.hpp"
#include "stats/student.hpp"

namespace dbandit::study {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();
constexpr double kLevel = 0.05;

bool takes_part(const policy::Entry& entry, Division division) {
  return (entry.setting == policy::Setting::uncensored) == (division == Division::no_window);
}

/// An oracle sees what nobody can, and uniform play looks at nothing.
bool is_ranked(const sim::Policy& policy) {
  return policy.entry->statistic != model::Statistic::immediate && policy.entry->statistic != model::Statistic::none &&
         policy.settings.empty();
}

/// Mean and standard error of a's regret minus b's in the same worlds.
stats::Moments lag(const sim::Result& result, std::size_t a, std::size_t b) {
  stats::Moments moments = result.stats.paired[sim::pair_index(std::min(a, b), std::max(a, b), result.spec->policies.size())];
  if (a > b) moments.mean = -moments.mean;
  return moments;
}

/// The chance that a mean of zero gives one as far off.
double tail_of(const stats::Moments& difference) {
  const double error = difference.standard_error(), off = std::abs(difference.mean);
  if (!(error > 0)) return off > 0 ? 0 : 0.5;
  return stats::student_tail(difference.count - 1, off / error);
}

double p99_of(const stats::Quantiles& sample) {
  const stats::Risk risk = stats::risk(sample, 0, kLevel);
  return std::isfinite(risk.p99.high) ? risk.p99.value : kNone;
}

/// The places of a match, in the order of the spec.
std::vector<Place> places(const sim::Result& result, Division division) {
  std::vector<Place> places;
  std::vector<std::size_t> seats;  // of each in the spec
  for (std::size_t p = 0; p < result.spec->policies.size(); ++p) {
    const sim::Policy& policy = result.spec->policies[p];
    if (!takes_part(*policy.entry, division)) continue;
    const sim::PolicyStats& stats = result.stats.policies[p];
    places.push_back({.policy = policy.id,
                      .regret = stats.regret.back(),
                      .p99 = stats.spread.empty() ? kNone : p99_of(stats.final_regret()),
                      .ranked = is_ranked(policy)});
    seats.push_back(p);
  }
  const auto best = std::ranges::min_element(places, {}, [](const Place& place) { return place.ranked ? place.regret.mean : kNone; });
  if (best == places.end()) return places;
  // The best was found on these replicas, so a test against it alone would reject too often. Whoever is as good as everybody passes the
  // tests against all its rivals, each at its share of the level: so p is multiplied by their number (Bonferroni).
  const auto rivals = std::ranges::count_if(places, &Place::ranked) - 1;
  const std::size_t winner = seats[static_cast<std::size_t>(best - places.begin())];
  for (std::size_t i = 0; i < places.size(); ++i) {
    Place& place = places[i];
    // Delays of its own can give an arm a regret of 0 or less: a ratio needs more.
    place.over_best = std::max(place.regret.mean, 1e-6) / std::max(best->regret.mean, 1e-6);
    if (&place == &*best) continue;
    const stats::Moments difference = lag(result, seats[i], winner);
    place.behind = interval_of(difference);
    const double tail = tail_of(difference);
    place.p = place.ranked ? std::min(1.0, static_cast<double>(rivals) * tail) : 2 * tail;
  }
  return places;
}

/// One family of tests: the ranked policies of a problem at all horizons, each against the best.
void correct(Unit& unit) {
  std::vector<Place*> tested;
  for (auto& at : unit.places) {
    for (Place& place : at) {
      if (place.ranked && place.over_best != 1) tested.push_back(&place);
    }
  }
  std::vector<double> p;
  for (const Place* place : tested) p.push_back(place->p);
  p = stats::holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) tested[i]->p = p[i];
}

/// ln(regret/best's) of every policy that played everywhere, [policy][problem].
using Ratios = std::map<std::string, std::vector<double>, std::less<>>;

/// Percentiles of the mean over resampled problems.
class Bootstrap {
 public:
  explicit Bootstrap(std::size_t problems) : problems_(problems) {
    std::mt19937_64 random(2017);  // its words are the standard's, on every machine
    for (std::size_t i = 0; i < kSamples * problems; ++i) drawn_.push_back(static_cast<std::uint32_t>(random() % problems));
  }
  [[nodiscard]] Interval mean(std::span<const double> values) const {
    std::vector<double> means(kSamples);
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(problems_);
    for (std::size_t i = 0; i < kSamples; ++i) {
      for (std::size_t j = 0; j < problems_; ++j) means[i] += values[drawn_[i * problems_ + j]] / static_cast<double>(problems_);
    }
    std::ranges::sort(means);
    return {mean, means[kSamples * 25 / 1000], means[kSamples * 975 / 1000 - 1]};
  }

 private:
  static constexpr std::size_t kSamples = 2000;
  std::size_t problems_;
  std::vector<std::uint32_t> drawn_;
};

std::vector<double> minus(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> difference;
  for (std::size_t i = 0; i < a.size(); ++i) difference.push_back(a[i] - b[i]);
  return difference;
}

/// The ranks that are left to each: those surely better come before, those surely worse after.
void set_ranks(std::vector<Standing>& table, const Ratios& ratios, const Bootstrap& bootstrap, bool blind_only) {
  const auto competes = [&](const Standing& row) { return row.ranked && !(blind_only && row.knows.of_delays()); };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(table, competes));
  for (Standing& row : table) {
    if (!competes(row)) continue;
    std::size_t better = 0, worse = 0;
    for (const Standing& other : table) {
      if (!competes(other) || other.policy == row.policy) continue;
      const Interval apart = bootstrap.mean(minus(ratios.at(other.policy), ratios.at(row.policy)));
      better += apart.high < 0;
      worse += apart.low > 0;
    }
    (blind_only ? row.blind_first : row.first) = 1 + better;
    (blind_only ? row.blind_last : row.last) = count - worse;
  }
}

}  // namespace

std::string_view words(Division division) { return division == Division::window ? "with a window" : "without a window"; }

Knowledge knowledge(const policy::Entry& entry) {
  using model::IndexForm;
  using model::Statistic;
  const bool takes_turns = entry.index == IndexForm::batches || entry.index == IndexForm::phases;
  return {.law = entry.statistic == Statistic::exposure || entry.statistic == Statistic::queue_heuristic,
          .tau_m = entry.statistic == Statistic::matured && !takes_turns && entry.index != IndexForm::thompson,
          .horizon = takes_turns,
          .prior = entry.index == IndexForm::thompson || entry.statistic == Statistic::queue_heuristic};
}

std::string words(const Knowledge& knowledge) {
  std::string all;
  for (const auto& [knows, word] : {std::pair{knowledge.law, "law"}, std::pair{knowledge.tau_m, "τ_m"},
                                    std::pair{knowledge.horizon, "horizon"}, std::pair{knowledge.prior, "prior"}}) {
    if (knows) all += (all.empty() ? "" : ", ") + std::string(word);
  }
  return all;
}

const Place* Unit::find(std::size_t horizon, std::string_view policy) const {
  const auto found = std::ranges::find(places[horizon], policy, &Place::policy);
  return found == places[horizon].end() ? nullptr : &*found;
}

const Place* Unit::best_untold(std::size_t horizon) const {
  const Place* best = nullptr;
  for (const Place& place : places[horizon]) {
    if (!place.ranked || knowledge(*policy::find(place.policy)).of_delays()) continue;
    if (best == nullptr || place.over_best < best->over_best) best = &place;
  }
  return best;
}

double Unit::log_ratio(std::string_view policy) const {
  double sum = 0;
  for (std::size_t h = 0; h < places.size(); ++h) {
    const Place* const place = find(h, policy);
    sum += place != nullptr ? std::log(place->over_best) : std::nan("");
  }
  return sum / static_cast<double>(places.size());
}

bool Unit::is_behind(std::string_view policy) const {
  for (std::size_t h = 0; h < places.size(); ++h) {
    const Place* const place = find(h, policy);
    if (place != nullptr && place->over_best != 1 && place->p < kLevel) return true;
  }
  return false;
}

std::vector<Unit> units(std::span<const sim::Result> results, std::span<const Match> matches, Division division) {
  std::vector<Unit> all;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (matches[i].part != Part::ranking) continue;
    if (std::ranges::find(all, matches[i].problem, &Unit::problem) == all.end())
      all.push_back({.problem = matches[i].problem, .places = {}});
    std::ranges::find(all, matches[i].problem, &Unit::problem)->places.push_back(places(results[i], division));
  }
  for (Unit& unit : all) correct(unit);
  return all;
}

std::vector<Standing> standings(std::span<const Unit> units) {
  std::vector<Standing> table;
  Ratios ratios;
  for (const Place& place : units.front().places.front()) {
    std::vector<double> of;
    for (const Unit& unit : units) of.push_back(unit.log_ratio(place.policy));
    if (std::ranges::any_of(of, [](double ratio) { return std::isnan(ratio); })) continue;
    table.push_back({.policy = place.policy, .ranked = place.ranked, .knows = knowledge(*policy::find(place.policy)), .over_best = {}});
    ratios.emplace(place.policy, std::move(of));
  }
  const Bootstrap bootstrap(units.size());
  const auto told_nothing = [](const Standing& row) { return row.ranked && !row.knows.of_delays(); };
  std::vector<double> blind_best(units.size(), kNone);
  for (const Standing& row : table) {
    for (std::size_t i = 0; told_nothing(row) && i < units.size(); ++i) blind_best[i] = std::min(blind_best[i], ratios.at(row.policy)[i]);
  }
  std::map<std::string, int, std::less<>> supported;  // matches whose replicas support a 99 % quantile
  int most = 0;
  for (Standing& row : table) {
    const std::vector<double>& of = ratios.at(row.policy);
    const Interval mean = bootstrap.mean(of);
    row.over_best = {std::exp(mean.value), std::exp(mean.low), std::exp(mean.high)};
    const Interval blind = bootstrap.mean(minus(of, blind_best));
    row.over_blind = {std::exp(blind.value), std::exp(blind.low), std::exp(blind.high)};
    double p99 = 0;
    int& count = supported[row.policy];
    for (const Unit& unit : units) {
      for (std::size_t h = 0; h < unit.places.size(); ++h) {
        const Place& place = *unit.find(h, row.policy);
        if (place.over_best > row.worst) row.worst = place.over_best, row.worst_in = unit.problem->name;
        const Place* const untold = unit.best_untold(h);
        if (untold != nullptr && place.over_best / untold->over_best > row.blind_worst)
          row.blind_worst = place.over_best / untold->over_best, row.blind_worst_in = unit.problem->name;
        if (!std::isfinite(place.p99)) continue;
        p99 += std::log(std::max(place.p99, 1e-6) * place.over_best / std::max(place.regret.mean, 1e-6));
        count += 1;
      }
      if (row.ranked) (unit.is_behind(row.policy) ? row.behind : row.as_good) += 1;
    }
    row.p99 = count > 0 ? std::exp(p99 / count) : kNone;
    most = std::max(most, count);
  }
  // A mean over other matches than the others' is not comparable.
  for (Standing& row : table) row.p99 = supported[row.policy] == most ? row.p99 : kNone;
  set_ranks(table, ratios, bootstrap, false);
  set_ranks(table, ratios, bootstrap, true);
  std::ranges::stable_sort(
      table, [](const Standing& a, const Standing& b) { return a.ranked != b.ranked ? a.ranked : a.over_best.value < b.over_best.value; });
  return table;
}

Interval log_lag(std::span<const Unit> units, std::string_view a, std::string_view b) {
  std::vector<double> apart;
  for (const Unit& unit : units) apart.push_back(unit.log_ratio(a) - unit.log_ratio(b));
  return Bootstrap(units.size()).mean(apart);
}

std::optional<Interval> log_lag_p99(std::span<const Unit> units, std::string_view a, std::string_view b) {
  std::vector<double> apart;
  for (const Unit& unit : units) {
    double sum = 0;
    for (std::size_t h = 0; h < unit.places.size(); ++h) {
      const double of_a = unit.find(h, a)->p99, of_b = unit.find(h, b)->p99;
      sum += std::isfinite(of_a) && std::isfinite(of_b) ? std::log(std::max(of_a, 1e-6) / std::max(of_b, 1e-6)) : kNone;
    }
    if (std::isfinite(sum)) apart.push_back(sum / static_cast<double>(unit.places.size()));
  }
  if (apart.size() < 2) return std::nullopt;
  return Bootstrap(apart.size()).mean(apart);
}

std::vector<Tuned> tuned(std::span<const sim::Result> results, std::span<const Match> matches) {
  // Mean of ln regret by policy and ε, on the tuning problems and on the problems at the short horizon.
  struct Sum {
    double tuning = 0, problems = 0;
  };
  std::map<std::string, std::map<double, Sum>, std::less<>> sums;
  std::vector<std::string> order;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (matches[i].part != Part::tuning && matches[i].part != Part::tuned) continue;
    for (std::size_t p = 0; p < results[i].spec->policies.size(); ++p) {
      const sim::Policy& policy = results[i].spec->policies[p];
      const std::string name(policy.entry->id);
      if (!sums.contains(name)) order.push_back(name);
      Sum& sum = sums[name][sim::rule(results[i].spec, policy).epsilon];
      const double regret = std::log(std::max(results[i].stats.policies[p].regret.back().mean, 1e-6));
      (matches[i].part == Part::tuning ? sum.tuning : sum.problems) += regret;
    }
  }
  const auto problems = static_cast<double>(std::ranges::count(matches, Part::tuned, &Match::part));
  std::vector<Tuned> all;
  for (const std::string& name : order) {
    const auto& by = sums.at(name);
    const auto best = std::ranges::min_element(by, {}, [](const auto& of) { return of.second.tuning; });
    all.push_back({name, best->first, std::exp((best->second.problems - by.at(0).problems) / problems)});
  }
  return all;
}

}  // namespace dbandit::study
