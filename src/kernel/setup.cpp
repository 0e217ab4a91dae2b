#include "kernel/setup.hpp"

#include <algorithm>

namespace dbandit::kernel {

void Tables::want(const model::DelayLaw& law, std::int64_t reach, std::int64_t cdf) {
  const auto known = std::ranges::find_if(wanted_, [&](const Wanted& other) { return *other.law == law; });
  Wanted& wanted = known != wanted_.end() ? *known : wanted_.emplace_back(Wanted{&law, -1, -1});
  wanted.reach = std::max(wanted.reach, reach);
  wanted.cdf = std::max(wanted.cdf, cdf);
}

void Tables::begin(std::size_t arms) {
  wanted_.clear();
  if (tables_.size() > 2 * arms + 16) tables_.clear();
}

void Tables::make() {
  for (const auto& [law, reach, cdf] : wanted_) {
    model::DelayTable& table = of(*law);
    if (reach >= 0) table.reach(reach);
    if (cdf >= 0) table.cdf(cdf);
  }
}

double Tables::bytes() const {
  double bytes = 0;
  for (const auto& [law, reach, cdf] : wanted_) {
    bytes += model::DelayTable::bytes(*law, reach, cdf) + static_cast<double>(4 * sizeof(Wanted));
  }
  return bytes;
}

model::DelayTable& Tables::of(const model::DelayLaw& law) {
  for (const auto& known : tables_) {
    if (known->law() == law) return *known;
  }
  return *tables_.emplace_back(std::make_unique<model::DelayTable>(law));
}

const rng::QuantileFit* Tables::quantile_fits(double first) {
  std::size_t place = 0;
  while (place < first_fits_.size() && first_fits_[place].first != first) ++place;
  const bool known = place < first_fits_.size();
  if (!known) place = next_fits_;
  FirstFits& found = first_fits_[place];
  next_fits_ = 1 - place;
  for (std::size_t i = 0; !known && i < kQuantileFits; ++i) found.fits[i] = rng::quantile_fit(first + static_cast<double>(i));
  found.first = first;
  return found.fits.data();
}

}  // namespace dbandit::kernel
