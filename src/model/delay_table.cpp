#include "model/delay_table.hpp"

#include <algorithm>

namespace dbandit::model {

namespace {

/// From the first entry on, so that a shorter table and a longer one are never held together.
template <class Value>
void fill(std::vector<double>& table, std::int64_t last, Value value) {
  table = {};
  table.reserve(static_cast<std::size_t>(last) + 1);
  for (std::int64_t d = 0; d <= last; ++d) table.push_back(value(d));
}

}  // namespace

std::size_t heap_bytes(const DelayLaw& law) {
  if (const auto* mixture = std::get_if<Mixture>(&law)) return mixture->parts.size() * sizeof(Mixture::Part);
  if (const auto* empirical = std::get_if<Empirical>(&law)) return empirical->counts.size() * sizeof(Empirical::Count);
  return 0;
}

void DelayTable::reach(std::int64_t last) {
  if (static_cast<std::int64_t>(survival_.size()) > last) return;
  fill(survival_, last, [&](std::int64_t d) { return survival(law_, d); });
  guide_.clear();
  guide_.reserve(kSlots + 1);
  // From small v, the longest delays, to large v, the shortest.
  for (std::size_t slot = 0; slot <= kSlots; ++slot) {
    const double lower = std::bit_cast<double>((kFirst + slot) << kShift);
    const auto below = std::partition_point(survival_.begin(), survival_.end(), [&](double s) { return s >= lower; });
    guide_.push_back(below - survival_.begin());
  }
}

const double* DelayTable::cdf(std::int64_t last) {
  if (static_cast<std::int64_t>(cdf_.size()) <= last) fill(cdf_, last, [&](std::int64_t d) { return model::cdf(law_, d); });
  return cdf_.data();
}

double DelayTable::bytes(const DelayLaw& law, std::int64_t reached, std::int64_t cdf) {
  const std::size_t guide = reached >= 0 ? (kSlots + 1) * sizeof(std::int64_t) : 0;
  return static_cast<double>(sizeof(DelayTable) + heap_bytes(law) + guide) + sizeof(double) * static_cast<double>(reached + 1) +
         sizeof(double) * static_cast<double>(cdf + 1);
}

}  // namespace dbandit::model
