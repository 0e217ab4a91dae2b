#include "dbandit/model/delay_law.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "laws.hpp"
#include "rng/draws.hpp"

namespace dbandit::model {

double mean(const DelayLaw& law) {
  return std::visit([](const auto& known) { return mean_of(known); }, law);
}

double survival(const DelayLaw& law, std::int64_t d) {
  if (d < 0) return 1;
  return std::visit([d](const auto& known) { return static_cast<double>(survival_of(known, d)); }, law);
}

double cdf(const DelayLaw& law, std::int64_t d) {
  if (d < 0) return 0;
  return std::visit([d](const auto& known) { return static_cast<double>(cdf_of(known, d)); }, law);
}

std::int64_t delay_at(const DelayLaw& law, double v) {
  assert(0 < v && v < 1);
  if (const auto* geometric = std::get_if<Geometric>(&law)) {
    if (geometric->mean == 0) return 0;
    return floor(log(DoubleDouble(v)) / log_ratio(geometric->mean));
  }
  // Survivals fall: double until one is below v, then halve.
  std::int64_t low = 0, high = 1;
  while (high < kLongestDelay && survival(law, high - 1) >= v) low = high, high *= 2;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (survival(law, middle) < v) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::int64_t longest_delay(const DelayLaw& law) { return std::min(delay_at(law, rng::open_uniform(0)), kLongestDelay); }

}  // namespace dbandit::model
