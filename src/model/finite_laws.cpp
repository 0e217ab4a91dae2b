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

long double survival_of(const Uniform& law, std::int64_t d) {
  return static_cast<long double>(law.last - std::min(d, law.last)) / (static_cast<long double>(law.last) + 1);
}

long double cdf_of(const Uniform& law, std::int64_t d) {
  return (static_cast<long double>(std::min(d, law.last)) + 1) / (static_cast<long double>(law.last) + 1);
}

double mean_of(const Constant& law) { return static_cast<double>(law.delay); }
long double survival_of(const Constant& law, std::int64_t d) { return d < law.delay ? 1 : 0; }
long double cdf_of(const Constant& law, std::int64_t d) { return d < law.delay ? 0 : 1; }

double mean_of(const Empirical& law) {
  long double sum = 0;
  for (const auto& point : law.counts) sum += static_cast<long double>(point.delay) * static_cast<long double>(point.count);
  return static_cast<double>(sum / static_cast<long double>(share(law, 0).all));
}

long double survival_of(const Empirical& law, std::int64_t d) {
  const Share known = share(law, d);
  return static_cast<long double>(known.all - known.at_most) / static_cast<long double>(known.all);
}

long double cdf_of(const Empirical& law, std::int64_t d) {
  const Share known = share(law, d);
  return static_cast<long double>(known.at_most) / static_cast<long double>(known.all);
}

}  // namespace dbandit::model
