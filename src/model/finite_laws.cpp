// Laws with a longest delay: Uniform, Constant, Empirical. Their CDFs are ratios of integers.
#include <algorithm>
#include <numeric>

#include "laws.hpp"

namespace dbandit::model {

namespace {

/// How many observations have a delay of at most d, and how many there are.
struct Share {
  std::int64_t at_most = 0, all = 0;
};
Share share(const Empirical& law, std::int64_t d) {
  Share share;
  for (const auto& point : law.counts) {
    share.all += point.count;
    if (point.delay <= d) share.at_most += point.count;
  }
  return share;
}

}  // namespace

double mean_of(const Uniform& law) { return static_cast<double>(law.last) / 2; }

DoubleDouble survival_of(const Uniform& law, std::int64_t d) {
  return DoubleDouble::of(law.last - std::min(d, law.last)) / DoubleDouble::of(law.last + 1);
}

DoubleDouble cdf_of(const Uniform& law, std::int64_t d) {
  return DoubleDouble::of(std::min(d, law.last) + 1) / DoubleDouble::of(law.last + 1);
}

double mean_of(const Constant& law) { return static_cast<double>(law.delay); }
DoubleDouble survival_of(const Constant& law, std::int64_t d) { return d < law.delay ? 1 : 0; }
DoubleDouble cdf_of(const Constant& law, std::int64_t d) { return d < law.delay ? 0 : 1; }

double mean_of(const Empirical& law) {
  DoubleDouble sum = 0;
  for (const auto& point : law.counts) sum += DoubleDouble::of(point.delay) * DoubleDouble::of(point.count);
  return static_cast<double>(sum / DoubleDouble::of(share(law, 0).all));
}

DoubleDouble survival_of(const Empirical& law, std::int64_t d) {
  const Share known = share(law, d);
  return DoubleDouble::of(known.all - known.at_most) / DoubleDouble::of(known.all);
}

DoubleDouble cdf_of(const Empirical& law, std::int64_t d) {
  const Share known = share(law, d);
  return DoubleDouble::of(known.at_most) / DoubleDouble::of(known.all);
}

}  // namespace dbandit::model
