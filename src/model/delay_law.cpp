#include "dbandit/model/delay_law.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <system_error>

#include "dbandit/core/error.hpp"
#include "dbandit/rng/draws.hpp"

namespace dbandit::model {

namespace {

/// Longest mean that is accepted: the calendar of an uncensored run holds up to 37 means (longest_delay).
constexpr double kLongestMean = 1e7;

constexpr std::string_view kAllowed = "allowed: geometric:MEAN with 0 <= MEAN <= 1e7, as in geometric:500";

/// Laws that a later version has; their names are not typing errors.
constexpr auto kLaterLaws =
    std::to_array<std::string_view>({"mixture", "uniform", "constant", "negbin", "weibull", "lognormal", "pareto", "empirical", "criteo"});

/// ln ρ = −ln(1 + 1/μ), without ρ, whose distance from 1 is what matters and would be rounded off.
long double log_ratio(const Geometric& law) { return -std::log1p(1.0L / law.mean); }

double mean_of(const Geometric& law) { return law.mean; }

double survival_of(const Geometric& law, std::int64_t d) {
  if (law.mean == 0) return 0;
  return static_cast<double>(std::exp((d + 1.0L) * log_ratio(law)));
}

double cdf_of(const Geometric& law, std::int64_t d) {
  if (law.mean == 0) return 1;
  return static_cast<double>(-std::expm1((d + 1.0L) * log_ratio(law)));
}

std::int64_t delay_of(const Geometric& law, double v) {
  if (law.mean == 0) return 0;
  return static_cast<std::int64_t>(std::floor(std::log(static_cast<long double>(v)) / log_ratio(law)));
}

std::string text_of(const Geometric& law) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), law.mean);
  assert(error == std::errc{});
  return "geometric:" + std::string(digits.data(), end);
}

[[noreturn]] void refuse(std::string_view text, std::string_view reason) {
  throw UserError("delay '" + std::string(text) + "': " + std::string(reason) + "; " + std::string(kAllowed));
}

}  // namespace

double mean(const DelayLaw& law) {
  return std::visit([](const auto& known) { return mean_of(known); }, law);
}

double survival(const DelayLaw& law, std::int64_t d) {
  if (d < 0) return 1;
  return std::visit([d](const auto& known) { return survival_of(known, d); }, law);
}

double cdf(const DelayLaw& law, std::int64_t d) {
  if (d < 0) return 0;
  return std::visit([d](const auto& known) { return cdf_of(known, d); }, law);
}

std::int64_t delay_at(const DelayLaw& law, double v) {
  assert(0 < v && v < 1);
  return std::visit([v](const auto& known) { return delay_of(known, v); }, law);
}

std::int64_t longest_delay(const DelayLaw& law) { return delay_at(law, rng::open_uniform(0)); }

std::string to_text(const DelayLaw& law) {
  return std::visit([](const auto& known) { return text_of(known); }, law);
}

DelayLaw parse_delay_law(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  if (std::find(kLaterLaws.begin(), kLaterLaws.end(), name) != kLaterLaws.end()) refuse(text, "this law is not in this version");
  if (name != "geometric") refuse(text, "unknown law");
  if (colon == std::string_view::npos) refuse(text, "the mean is missing");
  const std::string_view number = text.substr(colon + 1);
  double mean = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), mean);
  if (end != number.data() + number.size() || error == std::errc::invalid_argument) refuse(text, "the mean is not a number");
  if (error != std::errc{} || !(0 <= mean && mean <= kLongestMean)) refuse(text, "the mean is out of range");
  return Geometric{mean + 0.0};  // −0 becomes 0
}

}  // namespace dbandit::model
