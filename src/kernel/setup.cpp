#include "kernel/setup.hpp"

namespace dbandit::kernel {

model::DelayTable& Tables::of(const model::DelayLaw& law) {
  for (const auto& known : tables_) {
    if (known->law() == law) return *known;
  }
  return *tables_.emplace_back(std::make_unique<model::DelayTable>(law));
}

const model::GeometricFit& Tables::fit(const model::DelayLaw& law, std::int64_t last, double tolerance) {
  for (const auto& known : fits_) {
    if (known->law == law && known->last == last && known->tolerance == tolerance) return known->fit;
  }
  return fits_.emplace_back(std::make_unique<Fitted>(Fitted{law, last, tolerance, model::fit_geometrics(law, last, tolerance)}))->fit;
}

void Tables::cdfs(const model::Delays& delays, std::size_t arms, std::int64_t last, const double** rows) {
  for (std::size_t arm = 0; arm < arms; ++arm) rows[arm] = of(delays[arm]).cdf(last);
}

void Tables::limit(std::size_t arms) {
  if (tables_.size() > 2 * arms + 16) tables_.clear();
  if (fits_.size() > 2 * arms + 16) fits_.clear();
}

}  // namespace dbandit::kernel
