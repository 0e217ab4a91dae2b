#include "fit/families.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "model/continuous_law.hpp"

namespace dbandit::fit {
namespace {

using Values = std::span<const double>;

constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr double kLongestMean = 1e7, kLongestFinite = 1e6, kMostStages = 64;  // as parse_delay_law allows
constexpr double kLeastMean = 1e-3;
constexpr double kSqrtHalf = 0.70710678118654752440;

double logarithm(double p) { return p > 0 ? std::log(p) : kImpossible; }

// Geometric laws and their mixtures: parameters are the means, then the shares but the last. ln ρ = −ln(1 + 1/μ).

template <std::size_t Parts>
struct MixtureParts {
  std::array<double, Parts> weight, log_ratio, first;  ///< first = P(D = 0) = 1/(1 + μ)
  explicit MixtureParts(Values p) {
    double left = 1;
    for (std::size_t j = 0; j < Parts; ++j) {
      weight[j] = j + 1 < Parts ? left * p[Parts + j] : left;  // a share of what the parts before have left
      left -= weight[j];
      log_ratio[j] = -std::log1p(1 / p[j]);
      first[j] = 1 / (1 + p[j]);
    }
  }
};

template <std::size_t Parts>
void mixture_cdf(Values p, Values x, std::span<double> tau) {
  const MixtureParts<Parts> parts(p);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < Parts; ++j) sum -= parts.weight[j] * std::expm1((x[i] + 1) * parts.log_ratio[j]);
    tau[i] = sum;
  }
}

template <std::size_t Parts>
void mixture_log_pmf(Values p, Values d, std::span<double> log_p) {
  const MixtureParts<Parts> parts(p);
  for (std::size_t i = 0; i < d.size(); ++i) {
    if constexpr (Parts == 1) {
      log_p[i] = std::log(parts.first[0]) + d[i] * parts.log_ratio[0];  // no sum to underflow
    } else {
      double sum = 0;
      for (std::size_t j = 0; j < Parts; ++j) sum += parts.weight[j] * parts.first[j] * std::exp(d[i] * parts.log_ratio[j]);
      log_p[i] = logarithm(sum);
    }
  }
}

template <std::size_t Parts>
model::DelayLaw make_mixture(Values p) {
  if constexpr (Parts == 1) {
    return model::Geometric{p[0]};
  } else {
    const MixtureParts<Parts> parts(p);
    model::Mixture law;
    for (std::size_t j = 0; j < Parts; ++j) law.parts.push_back({parts.weight[j], p[j]});
    std::ranges::sort(law.parts, {}, &model::Mixture::Part::mean);
    return law;
  }
}

double mean_of(double given) { return std::clamp(given, 2 * kLeastMean, kLongestMean / 2); }

std::vector<Point> geometric_starts(const Seen& seen) { return {{mean_of(seen.mean)}, {mean_of(4 * seen.mean)}}; }

std::vector<Point> two_starts(const Seen& seen) {
  std::vector<Point> starts;
  for (const double quick : {0.1, 0.5}) {
    for (const double slow : {2.0, 8.0}) {
      for (const double share : {0.25, 0.6}) starts.push_back({mean_of(quick * seen.median), mean_of(slow * seen.mean), share});
    }
  }
  return starts;
}

std::vector<Point> three_starts(const Seen& seen) {
  std::vector<Point> starts;
  for (const double quick : {0.2, 0.7}) {
    for (const double slow : {3.0, 10.0}) {
      for (const double share : {0.2, 0.4}) {
        starts.push_back({mean_of(quick * seen.first_quarter), mean_of(seen.median), mean_of(slow * seen.mean), share, 0.4});
      }
    }
  }
  return starts;
}

model::DelayLaw discretised(std::string_view name, Values p) {
  const auto laws = model::continuous_laws();
  return model::Discretised{*std::ranges::find(laws, name, &model::ContinuousLaw::name), p[0], p[1]};
}

// Weibull and Pareto: P(X > x) = exp(−A(x)), so P(D = d) = e^{−A(d)} (1 − e^{A(d) − A(d+1)}), without cancellation.

template <class Hazard>
void cdf_by_hazard(Hazard hazard, Values x, std::span<double> tau) {
  for (std::size_t i = 0; i < x.size(); ++i) tau[i] = -std::expm1(-hazard(x[i] + 1));
}
template <class Hazard>
void log_pmf_by_hazard(Hazard hazard, Values d, std::span<double> log_p) {
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double before = hazard(d[i]), within = hazard(d[i] + 1) - before;
    log_p[i] = -before + logarithm(-std::expm1(-within));
  }
}

auto weibull_hazard(Values p) {
  return [shape = p[0], log_scale = std::log(p[1])](double x) { return x > 0 ? std::exp(shape * (std::log(x) - log_scale)) : 0; };
}
auto pareto_hazard(Values p) {
  return [shape = p[0], scale = p[1]](double x) { return shape * std::log1p(x / scale); };
}

void weibull_cdf(Values p, Values x, std::span<double> tau) { cdf_by_hazard(weibull_hazard(p), x, tau); }
void weibull_log_pmf(Values p, Values d, std::span<double> log_p) { log_pmf_by_hazard(weibull_hazard(p), d, log_p); }
model::DelayLaw make_weibull(Values p) { return discretised("weibull", p); }
std::vector<Point> weibull_starts(const Seen& seen) {
  std::vector<Point> starts;
  for (const double shape : {0.6, 1.0, 2.0}) {
    for (const double scale : {1.0, 4.0}) starts.push_back({shape, mean_of(scale * (seen.mean + 0.5))});
  }
  return starts;
}

void pareto_cdf(Values p, Values x, std::span<double> tau) { cdf_by_hazard(pareto_hazard(p), x, tau); }
void pareto_log_pmf(Values p, Values d, std::span<double> log_p) { log_pmf_by_hazard(pareto_hazard(p), d, log_p); }
model::DelayLaw make_pareto(Values p) { return discretised("pareto", p); }
std::vector<Point> pareto_starts(const Seen& seen) {
  std::vector<Point> starts;
  for (const double shape : {0.7, 2.0, 8.0}) {
    for (const double scale : {0.5, 1.0}) starts.push_back({shape, mean_of(shape * scale * (seen.median + 0.5))});
  }
  return starts;
}

// LogNormal: the difference of two normal tails, on the side on which both are small.

void lognormal_cdf(Values p, Values x, std::span<double> tau) {
  for (std::size_t i = 0; i < x.size(); ++i) tau[i] = std::erfc((p[0] - std::log(x[i] + 1)) / p[1] * kSqrtHalf) / 2;
}
void lognormal_log_pmf(Values p, Values d, std::span<double> log_p) {
  for (std::size_t i = 0; i < d.size(); ++i) {
    const double to = (std::log(d[i] + 1) - p[0]) / p[1] * kSqrtHalf;
    const double from = d[i] > 0 ? (std::log(d[i]) - p[0]) / p[1] * kSqrtHalf : kImpossible;
    log_p[i] = logarithm(from > 0 ? (std::erfc(from) - std::erfc(to)) / 2 : (std::erfc(-to) - std::erfc(-from)) / 2);
  }
}
model::DelayLaw make_lognormal(Values p) { return discretised("lognormal", p); }
std::vector<Point> lognormal_starts(const Seen& seen) {
  std::vector<Point> starts;
  for (const double sigma : {0.5, 1.2, 2.5}) {
    for (const double shift : {0.0, 1.0}) starts.push_back({std::clamp(std::log(seen.median + 0.5) + shift, -9.0, 15.0), sigma});
  }
  return starts;
}

// Laws with a whole-numbered parameter.

void uniform_cdf(Values p, Values x, std::span<double> tau) {
  for (std::size_t i = 0; i < x.size(); ++i) tau[i] = std::min(1.0, (x[i] + 1) / (p[0] + 1));
}
void uniform_log_pmf(Values p, Values d, std::span<double> log_p) {
  for (std::size_t i = 0; i < d.size(); ++i) log_p[i] = d[i] <= p[0] ? -std::log(p[0] + 1) : kImpossible;
}
model::DelayLaw make_uniform(Values p) { return model::Uniform{static_cast<std::int64_t>(p[0])}; }
std::vector<Point> uniform_starts(const Seen& seen) {
  if (seen.longest > kLongestFinite) return {};
  return {{seen.longest}};
}

void constant_cdf(Values p, Values x, std::span<double> tau) {
  for (std::size_t i = 0; i < x.size(); ++i) tau[i] = x[i] >= p[0] ? 1 : 0;
}
void constant_log_pmf(Values p, Values d, std::span<double> log_p) {
  for (std::size_t i = 0; i < d.size(); ++i) log_p[i] = d[i] == p[0] ? 0 : kImpossible;
}
model::DelayLaw make_constant(Values p) { return model::Constant{static_cast<std::int64_t>(p[0])}; }
std::vector<Point> constant_starts(const Seen& seen) {
  if (!seen.same || seen.longest > kLongestFinite) return {};
  return {{seen.longest}};
}

/// P(D > x) = Σ_{i < r} C(x + i, i) p^i q^{x+1}: in one of the r stages after x + 1 failures.
void negbin_cdf(Values p, Values x, std::span<double> tau) {
  const double stages = p[0], success = stages / (stages + p[1]), log_failure = -std::log1p(stages / p[1]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double term = std::exp((x[i] + 1) * log_failure), sum = term;
    for (double stage = 1; stage < stages; ++stage) {
      term *= success * (x[i] + stage) / stage;
      sum += term;
    }
    tau[i] = std::max(0.0, 1 - sum);
  }
}
void negbin_log_pmf(Values p, Values d, std::span<double> log_p) {
  const double stages = p[0], log_success = -std::log1p(p[1] / stages), log_failure = -std::log1p(stages / p[1]);
  for (std::size_t i = 0; i < d.size(); ++i) {
    double choices = 0;  // ln C(d + r − 1, r − 1)
    for (double stage = 1; stage < stages; ++stage) choices += std::log1p(d[i] / stage);
    log_p[i] = choices + stages * log_success + d[i] * log_failure;
  }
}
model::DelayLaw make_negbin(Values p) { return model::NegativeBinomial{static_cast<std::int64_t>(p[0]), p[1]}; }
std::vector<Point> negbin_starts(const Seen& seen) { return {{2, mean_of(seen.mean)}, {2, mean_of(3 * seen.mean)}}; }

constexpr Parameter kMean{"mean", Link::log, kLeastMean, kLongestMean};
constexpr Parameter kScale{"scale", Link::log, kLeastMean, kLongestMean};
constexpr double kLeastShare = 1e-6;
constexpr std::array kGeometric{kMean};
constexpr std::array kTwo{Parameter{"mean 1", Link::log, kLeastMean, kLongestMean},
                          Parameter{"mean 2", Link::log, kLeastMean, kLongestMean},
                          Parameter{"share 1", Link::logit, kLeastShare, 1 - kLeastShare}};
constexpr std::array kThree{
    Parameter{"mean 1", Link::log, kLeastMean, kLongestMean}, Parameter{"mean 2", Link::log, kLeastMean, kLongestMean},
    Parameter{"mean 3", Link::log, kLeastMean, kLongestMean}, Parameter{"share 1", Link::logit, kLeastShare, 1 - kLeastShare},
    Parameter{"share 2 of the rest", Link::logit, kLeastShare, 1 - kLeastShare}};
constexpr std::array kUniform{Parameter{"last", Link::log, 0, kLongestFinite, true}};
constexpr std::array kConstant{Parameter{"delay", Link::log, 0, kLongestFinite, true}};
constexpr std::array kNegbin{Parameter{"stages", Link::log, 1, kMostStages, true}, kMean};
constexpr std::array kOfWeibull{Parameter{"shape", Link::log, 0.1, 100}, kScale};
constexpr std::array kLognormal{Parameter{"mu", Link::identity, -10, 16}, Parameter{"sigma", Link::log, 0.01, 5}};
constexpr std::array kOfPareto{Parameter{"shape", Link::log, 0.05, 100}, kScale};

const std::array kFamilies{
    Family{"geometric", "geometric", kGeometric, mixture_cdf<1>, mixture_log_pmf<1>, make_mixture<1>, geometric_starts},
    Family{"uniform", "uniform", kUniform, uniform_cdf, uniform_log_pmf, make_uniform, uniform_starts},
    Family{"constant", "constant", kConstant, constant_cdf, constant_log_pmf, make_constant, constant_starts},
    Family{"negbin", "negbin", kNegbin, negbin_cdf, negbin_log_pmf, make_negbin, negbin_starts},
    Family{"weibull", "weibull", kOfWeibull, weibull_cdf, weibull_log_pmf, make_weibull, weibull_starts},
    Family{"lognormal", "lognormal", kLognormal, lognormal_cdf, lognormal_log_pmf, make_lognormal, lognormal_starts},
    Family{"pareto", "pareto", kOfPareto, pareto_cdf, pareto_log_pmf, make_pareto, pareto_starts},
    Family{"mixture of 2", "mixture", kTwo, mixture_cdf<2>, mixture_log_pmf<2>, make_mixture<2>, two_starts},
    Family{"mixture of 3", "mixture", kThree, mixture_cdf<3>, mixture_log_pmf<3>, make_mixture<3>, three_starts},
};

}  // namespace

double linked(Link link, double value) {
  switch (link) {
    case Link::identity:
      return value;
    case Link::log:
      return std::log(value);
    case Link::logit:
      return std::log(value) - std::log1p(-value);
  }
  return value;
}

double unlinked(Link link, double coordinate) {
  switch (link) {
    case Link::identity:
      return coordinate;
    case Link::log:
      return std::exp(coordinate);
    case Link::logit:
      return 1 / (1 + std::exp(-coordinate));
  }
  return coordinate;
}

std::span<const Family> families() { return kFamilies; }

Point ordered(const Family& family, Point parameters) {
  const model::DelayLaw law = family.make(parameters);
  const auto* mixture = std::get_if<model::Mixture>(&law);
  if (mixture == nullptr || family.law != "mixture") return parameters;
  const std::size_t parts = mixture->parts.size();
  double left = 1;
  for (std::size_t j = 0; j < parts; ++j) {
    parameters[j] = mixture->parts[j].mean;
    if (j + 1 < parts) parameters[parts + j] = std::clamp(mixture->parts[j].weight / left, kLeastShare, 1 - kLeastShare);
    left -= mixture->parts[j].weight;
  }
  return parameters;
}

}  // namespace dbandit::fit
