#include "reference/exposure.hpp"

namespace dbandit::reference {

std::vector<double> visibility(const model::DelayLaw& law, const model::Window& window, std::int64_t horizon) {
  const std::int64_t oldest = std::min(window.value_or(horizon), horizon);
  std::vector<double> tau;
  for (std::int64_t d = 0; d <= oldest; ++d) tau.push_back(model::cdf(law, d));
  return tau;
}

std::vector<std::vector<double>> visibilities(const model::Delays& delays, const model::Window& window, std::int64_t horizon) {
  std::vector<std::vector<double>> tables;
  for (const model::DelayLaw& law : delays.laws) tables.push_back(visibility(law, window, horizon));
  return tables;
}

}  // namespace dbandit::reference
