#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dbandit/model/delay_law.hpp"
#include "fit/counts.hpp"
#include "fit/families.hpp"
#include "fit/likelihood.hpp"

/// Rates and delay laws by maximum likelihood.
namespace dbandit::fit {

/// How an interval was found.
enum class Method {
  information,  ///< normal on the scale of the parameter's link, standard error from the observed information
  profile,      ///< near a boundary: where the profile of 2 ln L has fallen by the 95 % point of χ²(1)
  none          ///< a whole-numbered parameter, or one that the log does not determine
};

struct Estimate {
  std::string name;
  double value = 0;
  double error = 0;          ///< standard error; NaN where there is none
  double low = 0, high = 0;  ///< 95 %; NaN where there is none
  Method method = Method::none;
};

/// One law fitted to all arms of a log, with a rate for each.
struct Fit {
  const Family* family = nullptr;
  Point parameters;
  std::vector<double> rates;
  double log_likelihood = 0;
  double aic = 0, bic = 0;
  std::vector<Estimate> parameter_estimates, rate_estimates;  ///< empty before `estimate`

  [[nodiscard]] model::DelayLaw law() const { return family->make(parameters); }
  [[nodiscard]] std::size_t free() const { return parameters.size() + rates.size(); }
};

/// None where the law cannot have made the delays that were seen. `clicks` is the n of BIC.
std::optional<Fit> fit(const Likelihood& likelihood, const Family& family, double clicks);
/// Every family that can, the least BIC first. Threads change no digit.
std::vector<Fit> fit_all(std::span<const ArmCounts> arms, std::span<const Family* const> families);
/// Standard errors and 95 % intervals.
void estimate(Fit& fit, const Likelihood& likelihood);

/// Whether one law fits all arms: twice what ln L gains when each has its own.
struct OneLawTest {
  std::vector<std::size_t> arms;  ///< those with kLeastConversions or more
  std::vector<Fit> fits;          ///< of these, each alone
  double statistic = 0;
  double degrees = 0;
  double p = 1;
};
inline constexpr std::int64_t kLeastConversions = 20;
/// None where fewer than two arms have conversions enough, or where the family's parameters are whole numbers.
std::optional<OneLawTest> test_one_law(std::span<const ArmCounts> arms, const Family& family);

/// P–P: of the conversions seen, the share with a delay of at most d, observed and expected, ages and arms as in the log.
struct SharePoint {
  std::int64_t delay;
  double expected, observed;
};
std::vector<SharePoint> shares(std::span<const ArmCounts> arms, const Fit& fit);
/// Half the width of a band that covers all of a P–P curve at 95 % (Dvoretzky, Kiefer, Wolfowitz, Massart); wider than need be, since
/// the law is fitted to the same conversions.
double band_95(double conversions);
/// The largest |expected − observed|.
double largest_gap(std::span<const SharePoint> points);

}  // namespace dbandit::fit
