#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "dbandit/model/delay_law.hpp"

/// The laws of `dbandit list delays` that have parameters, as the optimiser sees them: each parameter by a coordinate of its own (the
/// logarithm of a mean or a scale, the logit of a share), so that every point within the bounds is a law. An exponential law cut into
/// rounds is a geometric one, so mixtures are those of exponential laws too. criteo is no family: it is a mixture of three.
namespace dbandit::fit {

enum class Link { identity, log, logit };
double linked(Link link, double value);
double unlinked(Link link, double coordinate);

/// One parameter; its bounds are those of parse_delay_law, or tighter.
struct Parameter {
  std::string_view name;
  Link link;
  double low, high;
  bool whole = false;  ///< an integer: searched, not differentiated
};

using Point = std::vector<double>;

/// What is known of the delays before the first step: quantiles of those that were seen, hence too short.
struct Seen {
  double mean, first_quarter, median, last_quarter;
  double longest;  ///< the longest delay
  bool same;       ///< all delays are the same
};

struct Family {
  std::string_view name;  ///< "weibull"
  std::string_view law;   ///< the name before the colon in `list delays`
  std::span<const Parameter> parameters;
  /// P(D ≤ x) for each of `x`, and ln P(D = d) for each of `d`; −∞ where a delay is impossible. x and d are whole numbers.
  void (*cdf)(std::span<const double> parameters, std::span<const double> x, std::span<double> tau);
  void (*log_pmf)(std::span<const double> parameters, std::span<const double> d, std::span<double> log_p);
  model::DelayLaw (*make)(std::span<const double> parameters);
  std::vector<Point> (*starts)(const Seen& seen);  ///< parameters from which to search; none where the law cannot have made the delays
};
/// The simplest first.
std::span<const Family> families();

/// The parameters of the same law with the parts of a mixture by rising mean.
Point ordered(const Family& family, Point parameters);

}  // namespace dbandit::fit
