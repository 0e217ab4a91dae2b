#include "dbandit/model/delay_table.hpp"

#include <algorithm>

namespace dbandit::model {

void DelayTable::reach(std::int64_t last) {
  if (static_cast<std::int64_t>(survival_.size()) > last) return;
  for (auto d = static_cast<std::int64_t>(survival_.size()); d <= last; ++d) survival_.push_back(survival(law_, d));
  guide_.clear();
  // From small v, the longest delays, to large v, the shortest.
  for (std::size_t slot = 0; slot <= kSlots; ++slot) {
    const double lower = std::bit_cast<double>((kFirst + slot) << kShift);
    const auto below = std::partition_point(survival_.begin(), survival_.end(), [&](double s) { return s >= lower; });
    guide_.push_back(below - survival_.begin());
  }
}

const double* DelayTable::cdf(std::int64_t last) {
  for (auto d = static_cast<std::int64_t>(cdf_.size()); d <= last; ++d) cdf_.push_back(model::cdf(law_, d));
  return cdf_.data();
}

}  // namespace dbandit::model
