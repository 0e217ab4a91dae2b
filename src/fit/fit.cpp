#include "fit/fit.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "fit/maximise.hpp"

namespace dbandit::fit {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr double kFirstStep = 0.5;
constexpr std::size_t kSearches = 2;  ///< from as many of a family's starts

/// Where the search runs: the parameters that are neither whole numbers nor held, by their coordinates.
struct Space {
  const Family& family;
  std::vector<std::size_t> free;
  Point low, high;

  explicit Space(const Family& given, std::optional<std::size_t> held = {}) : family(given) {
    for (std::size_t i = 0; i < family.parameters.size(); ++i) {
      const Parameter& parameter = family.parameters[i];
      if (parameter.whole || held == i) continue;
      free.push_back(i);
      low.push_back(linked(parameter.link, parameter.low));
      high.push_back(linked(parameter.link, parameter.high));
    }
  }
  [[nodiscard]] Point coordinates(const Point& parameters) const {
    Point z;
    for (const std::size_t i : free) z.push_back(linked(family.parameters[i].link, parameters[i]));
    return z;
  }
  [[nodiscard]] Point parameters(std::span<const double> z, Point others) const {
    for (std::size_t j = 0; j < free.size(); ++j) others[free[j]] = unlinked(family.parameters[free[j]].link, z[j]);
    return others;
  }
};

struct Best {
  Point parameters;
  double log_likelihood = kImpossible;
};

Best climb(const Likelihood& likelihood, const Space& space, const Point& from, double step, std::span<const double> rates = {}) {
  const auto value = [&](std::span<const double> z) {
    return likelihood.profile(space.family, space.parameters(z, from), rates).log_likelihood;
  };
  const Maximum maximum = maximise(value, space.coordinates(from), space.low, space.high, step);
  return {space.parameters(maximum.at, from), maximum.value};
}

/// Moves a whole-numbered parameter up or down, by steps that double while it pays: ln L has one top in it.
Best climb_whole(const Likelihood& likelihood, const Space& space, std::size_t whole, Best best) {
  const Parameter& parameter = space.family.parameters[whole];
  std::map<double, Best> known;
  const auto better = [&](double value) {
    if (value < parameter.low || value > parameter.high) return false;
    Point from = best.parameters;
    from[whole] = value;
    auto [at, unknown] = known.try_emplace(value);
    if (unknown) at->second = climb(likelihood, space, from, kFirstStep);
    if (!(at->second.log_likelihood > best.log_likelihood + 1e-9)) return false;
    best = at->second;
    return true;
  };
  for (double step = 1; step >= 1;) {
    const double here = best.parameters[whole];
    step = better(here + step) || better(here - step) ? 2 * step : std::floor(step / 2);
  }
  return best;
}

/// −∂²/∂z² of the profile of ln L: the information of the parameters once the rates are accounted for.
struct Information {
  std::vector<Point> covariance;  ///< of the coordinates; empty where the information is not positive definite
  std::vector<Point> rate_slope;  ///< [coordinate][arm] ∂θ̂/∂z
};

/// The inverse of a symmetric positive definite matrix; empty when it is none.
std::vector<Point> inverse(std::vector<Point> a) {
  const std::size_t n = a.size();
  std::vector<Point> b(n, Point(n, 0));
  for (std::size_t i = 0; i < n; ++i) b[i][i] = 1;
  for (std::size_t i = 0; i < n; ++i) {  // pivots of a positive definite matrix are positive, in any order
    if (!(a[i][i] > 0) || !std::isfinite(a[i][i])) return {};
    const double pivot = a[i][i];
    for (std::size_t c = 0; c < n; ++c) {
      a[i][c] /= pivot;
      b[i][c] /= pivot;
    }
    for (std::size_t r = 0; r < n; ++r) {
      if (r == i) continue;
      const double factor = a[r][i];
      for (std::size_t c = 0; c < n; ++c) {
        a[r][c] -= factor * a[i][c];
        b[r][c] -= factor * b[i][c];
      }
    }
  }
  return b;
}

Information information(const Likelihood& likelihood, const Space& space, const Fit& fit) {
  const Point top = space.coordinates(fit.parameters);
  const std::size_t n = top.size();
  const auto moved = [&](const Point& z) { return likelihood.profile(space.family, space.parameters(z, fit.parameters)); };
  const auto shifted = [&](std::size_t i, double by, std::size_t j = 0, double also = 0) {
    Point z = top;
    z[i] += by;
    z[j] += also;
    return z;
  };
  // Steps of a twentieth of a standard error: rounding of ln L is far below the fall, and the fall is still that of a parabola.
  Point step(n, 1e-3);
  for (std::size_t i = 0; i < n; ++i) {
    for (int round = 0; round < 3; ++round) {
      const double fall = 2 * fit.log_likelihood - moved(shifted(i, step[i])).log_likelihood - moved(shifted(i, -step[i])).log_likelihood;
      if (!(fall > 0)) {
        step[i] = std::min(0.3, step[i] * 10);
      } else {
        step[i] = std::clamp(0.05 * step[i] / std::sqrt(fall), 1e-6, 0.3);
      }
    }
  }
  Information result;
  std::vector<Point> matrix(n, Point(n));
  for (std::size_t i = 0; i < n; ++i) {
    const auto up = moved(shifted(i, step[i])), down = moved(shifted(i, -step[i]));
    matrix[i][i] = (2 * fit.log_likelihood - up.log_likelihood - down.log_likelihood) / (step[i] * step[i]);
    Point slope;
    for (std::size_t k = 0; k < up.rates.size(); ++k) slope.push_back((up.rates[k] - down.rates[k]) / (2 * step[i]));
    result.rate_slope.push_back(std::move(slope));
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0;
      for (const double a : {1.0, -1.0}) {
        for (const double b : {1.0, -1.0}) sum += a * b * moved(shifted(i, a * step[i], j, b * step[j])).log_likelihood;
      }
      matrix[i][j] = matrix[j][i] = -sum / (4 * step[i] * step[j]);
    }
  }
  result.covariance = inverse(std::move(matrix));
  return result;
}

constexpr double kNormal95 = 1.959963984540054, kChiSquare95 = 3.841458820694124;

/// dp/dz at the value p.
double stretch(Link link, double value) {
  switch (link) {
    case Link::identity:
      return 1;
    case Link::log:
      return value;
    case Link::logit:
      return value * (1 - value);
  }
  return 1;
}

/// How far to one side of `top` the profile stays above its 95 % limit; `bound` where it never falls below.
template <class LogLikelihood>
double profile_end(LogLikelihood log_likelihood, double highest, double top, double bound, double first) {
  const auto outside = [&](double z) { return 2 * (highest - log_likelihood(z)) > kChiSquare95; };
  const double direction = bound > top ? 1 : -1;
  double inside = top, step = first;
  for (;;) {
    const double next = inside + direction * step;
    if (direction * (next - bound) >= 0) {
      if (!outside(bound)) return bound;
      step = std::abs(bound - inside);
      break;
    }
    if (outside(next)) break;
    inside = next;
    step *= 2;
  }
  double low = inside, high = inside + direction * step;
  while (std::abs(high - low) > 1e-4 * std::max(first, 1e-3)) {
    const double middle = (low + high) / 2;
    (outside(middle) ? high : low) = middle;
  }
  return (low + high) / 2;
}

/// With more arms the law is held at its estimate while the profile of a rate near a boundary is drawn: such a rate has a handful of
/// conversions, and the law those of all arms.
constexpr std::size_t kFewArms = 20;

constexpr Parameter kRate{"rate", Link::logit, 0, 1};

/// From a standard error of the coordinate. False where the boundary is within three of them: the normal law then reaches beyond it.
bool by_information(Estimate& estimate, const Parameter& parameter, double variance) {
  if (!(variance > 0) || !std::isfinite(variance)) return false;
  const double z = linked(parameter.link, estimate.value), error = std::sqrt(variance);
  estimate.error = error * stretch(parameter.link, estimate.value);
  estimate.low = unlinked(parameter.link, z - kNormal95 * error);
  estimate.high = unlinked(parameter.link, z + kNormal95 * error);
  estimate.method = Method::information;
  return estimate.value - 3 * estimate.error > parameter.low && estimate.value + 3 * estimate.error < parameter.high;
}

Estimate unknown(std::string name, double value) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return {std::move(name), value, kNone, kNone, kNone, Method::none};
}

template <class LogLikelihood>
void by_profile(Estimate& estimate, const Parameter& parameter, double highest, LogLikelihood log_likelihood) {
  constexpr double kLeast = 1e-9;  // a rate of exactly 0 or 1 has no coordinate
  const double low = std::max(parameter.low, parameter.link == Link::identity ? parameter.low : kLeast);
  const double high = parameter.link == Link::logit ? std::min(parameter.high, 1 - kLeast) : parameter.high;
  const double z = linked(parameter.link, std::clamp(estimate.value, low, high));
  const auto in_coordinate = [&](double at) { return log_likelihood(unlinked(parameter.link, at)); };
  const auto end = [&](double bound) {
    const double to = linked(parameter.link, bound);
    return to == z ? bound : unlinked(parameter.link, profile_end(in_coordinate, highest, z, to, 0.1));
  };
  const double from = end(low), to = end(high);
  estimate.low = from <= low * (1 + 1e-6) && parameter.link != Link::identity ? parameter.low : from;
  estimate.high = to >= high * (1 - 1e-12) ? parameter.high : to;
  estimate.method = Method::profile;
}

double chi_square_tail(double statistic, double degrees) { return boost::math::gamma_q(degrees / 2, std::max(0.0, statistic) / 2); }

}  // namespace

std::optional<Fit> fit(const Likelihood& likelihood, const Family& family, double clicks) {
  std::vector<Best> starts;
  for (Point& start : family.starts(likelihood.seen())) {
    const double value = likelihood.profile(family, start).log_likelihood;
    if (value > kImpossible) starts.push_back({std::move(start), value});
  }
  if (starts.empty()) return std::nullopt;
  std::ranges::stable_sort(starts, std::greater{}, &Best::log_likelihood);
  const Space space(family);
  Best best;
  for (std::size_t i = 0; i < std::min(kSearches, starts.size()); ++i) {
    Best found = climb(likelihood, space, starts[i].parameters, kFirstStep);
    if (found.log_likelihood > best.log_likelihood) best = std::move(found);
  }
  const auto whole = std::ranges::find(family.parameters, true, &Parameter::whole);
  if (whole != family.parameters.end()) {
    best = climb_whole(likelihood, space, static_cast<std::size_t>(whole - family.parameters.begin()), std::move(best));
  }
  Fit result;
  result.family = &family;
  result.parameters = ordered(family, best.parameters);
  const auto profile = likelihood.profile(family, result.parameters);
  result.rates = profile.rates;
  result.log_likelihood = profile.log_likelihood;
  const auto free = static_cast<double>(result.free());
  result.aic = 2 * (free - result.log_likelihood);
  result.bic = free * std::log(clicks) - 2 * result.log_likelihood;
  return result;
}

std::vector<Fit> fit_all(std::span<const ArmCounts> arms, std::span<const Family* const> families) {
  const Likelihood likelihood(arms);
  double clicks = 0;
  for (const ArmCounts& arm : arms) clicks += static_cast<double>(arm.clicks());
  std::vector<std::optional<Fit>> found(families.size());
  tbb::parallel_for(std::size_t{0}, families.size(), [&](std::size_t i) { found[i] = fit(likelihood, *families[i], clicks); });
  std::vector<Fit> fits;
  for (auto& one : found) {
    if (one) fits.push_back(std::move(*one));
  }
  std::ranges::stable_sort(fits, {}, &Fit::bic);
  return fits;
}

void estimate(Fit& fit, const Likelihood& likelihood) {
  const Family& family = *fit.family;
  const Space space(family);
  const Information known = information(likelihood, space, fit);
  const bool regular = known.covariance.size() == space.free.size();  // also where there is nothing to invert
  fit.parameter_estimates.clear();
  fit.rate_estimates.clear();
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    const Parameter& parameter = family.parameters[i];
    Estimate& estimate = fit.parameter_estimates.emplace_back(unknown(std::string(parameter.name), fit.parameters[i]));
    if (parameter.whole) continue;
    const auto j = static_cast<std::size_t>(std::ranges::find(space.free, i) - space.free.begin());
    if (regular && by_information(estimate, parameter, known.covariance[j][j])) continue;
    const Space others(family, i);
    Point from = fit.parameters;
    by_profile(estimate, parameter, fit.log_likelihood, [&](double value) {
      from[i] = value;
      Best best = climb(likelihood, others, from, 0.1);
      from = best.parameters;  // the next value is near
      return best.log_likelihood;
    });
  }
  const auto profile = likelihood.profile(family, fit.parameters);
  for (std::size_t k = 0; k < fit.rates.size(); ++k) {
    Estimate& estimate = fit.rate_estimates.emplace_back(unknown("rate", fit.rates[k]));
    if (regular && fit.rates[k] > 0 && fit.rates[k] < 1) {
      double variance = 1 / profile.information[k];
      for (std::size_t a = 0; a < space.free.size(); ++a) {
        for (std::size_t b = 0; b < space.free.size(); ++b) {
          variance += known.rate_slope[a][k] * known.covariance[a][b] * known.rate_slope[b][k];
        }
      }
      const double scale = stretch(Link::logit, fit.rates[k]);
      if (by_information(estimate, kRate, variance / (scale * scale))) continue;
    }
    if (fit.rates.size() > kFewArms) {
      const double highest = likelihood.of_arm(family, fit.parameters, k, fit.rates[k]);
      by_profile(estimate, kRate, highest, [&](double value) { return likelihood.of_arm(family, fit.parameters, k, value); });
      continue;
    }
    Point from = fit.parameters;
    std::vector<double> fixed(fit.rates.size(), std::numeric_limits<double>::quiet_NaN());
    by_profile(estimate, kRate, fit.log_likelihood, [&](double value) {
      fixed[k] = value;
      Best best = climb(likelihood, space, from, 0.1, fixed);
      from = best.parameters;
      return best.log_likelihood;
    });
  }
}

std::optional<OneLawTest> test_one_law(std::span<const ArmCounts> arms, const Family& family) {
  if (std::ranges::any_of(family.parameters, &Parameter::whole)) return std::nullopt;
  OneLawTest test;
  std::vector<ArmCounts> tested;
  for (std::size_t k = 0; k < arms.size(); ++k) {
    if (arms[k].conversions() < kLeastConversions) continue;
    test.arms.push_back(k);
    tested.push_back(arms[k]);
  }
  if (tested.size() < 2) return std::nullopt;
  std::vector<std::optional<Fit>> found(tested.size() + 1);  // each alone, then all together
  tbb::parallel_for(std::size_t{0}, found.size(), [&](std::size_t i) {
    const std::span<const ArmCounts> those = i < tested.size() ? std::span(tested).subspan(i, 1) : std::span<const ArmCounts>(tested);
    double clicks = 0;
    for (const ArmCounts& arm : those) clicks += static_cast<double>(arm.clicks());
    const Likelihood likelihood(those);
    found[i] = fit(likelihood, family, clicks);
    if (found[i] && i < tested.size()) estimate(*found[i], likelihood);
  });
  double apart = 0;
  for (auto& one : found) {
    if (!one) return std::nullopt;
    if (&one == &found.back()) break;
    apart += one->log_likelihood;
    test.fits.push_back(std::move(*one));
  }
  test.statistic = std::max(0.0, 2 * (apart - found.back()->log_likelihood));
  test.degrees = static_cast<double>(family.parameters.size() * (tested.size() - 1));
  test.p = chi_square_tail(test.statistic, test.degrees);
  return test;
}

std::vector<SharePoint> shares(std::span<const ArmCounts> arms, const Fit& fit) {
  std::map<std::int64_t, std::int64_t> seen;
  std::map<std::int64_t, double> weight;  // Σ θ_k over the clicks observed for n rounds
  for (std::size_t k = 0; k < arms.size(); ++k) {
    for (const auto& [delay, count] : arms[k].delays) seen[delay] += count;
    for (const auto& [rounds, count] : arms[k].observed) weight[rounds] += fit.rates[k] * static_cast<double>(count);
  }
  std::vector<double> delays, ages;
  for (const auto& [delay, count] : seen) delays.push_back(static_cast<double>(delay));
  for (const auto& [rounds, count] : weight) ages.push_back(static_cast<double>(rounds - 1));
  std::vector<double> tau_delay(delays.size()), tau_age(ages.size());
  fit.family->cdf(fit.parameters, delays, tau_delay);
  fit.family->cdf(fit.parameters, ages, tau_age);
  double all_expected = 0, older = 0, all_seen = 0;
  std::size_t index = 0;
  for (const auto& [rounds, clicks] : weight) {
    all_expected += clicks * tau_age[index++];
    older += clicks;
  }
  for (const auto& [delay, count] : seen) all_seen += static_cast<double>(count);
  // Those observed for d rounds or fewer show all that they ever do; of the others the part up to d.
  std::vector<SharePoint> points;
  double younger = 0, observed = 0;
  auto age = weight.begin();
  std::size_t at = 0, i = 0;
  for (const auto& [delay, count] : seen) {
    for (; age != weight.end() && age->first - 1 <= delay; ++age, ++at) {
      younger += age->second * tau_age[at];
      older -= age->second;
    }
    observed += static_cast<double>(count);
    points.push_back({delay, (younger + older * tau_delay[i++]) / all_expected, observed / all_seen});
  }
  return points;
}

double band_95(double conversions) { return std::sqrt(std::log(2 / 0.05) / (2 * conversions)); }

double largest_gap(std::span<const SharePoint> points) {
  double most = 0;
  for (const SharePoint& point : points) most = std::max(most, std::abs(point.expected - point.observed));
  return most;
}

}  // namespace dbandit::fit
