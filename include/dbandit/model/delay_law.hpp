#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace dbandit::model {

/// Number of failures before a success, mean μ: support {0, 1, …}, ρ = μ/(1+μ), P(D = d) = (1−ρ)ρ^d, τ_d = 1 − ρ^{d+1} (§7).
struct Geometric {
  double mean;
  friend bool operator==(const Geometric&, const Geometric&) = default;
};

/// The law of the delay D ∈ {0, 1, 2, …} between a pull and the disclosure of its conversion. A new law is a new
/// alternative here and one overload of each function below.
using DelayLaw = std::variant<Geometric>;

double mean(const DelayLaw& law);
/// 1 − τ_d = P(D > d), accurate in the tail; 1 for d < 0.
double survival(const DelayLaw& law, std::int64_t d);
/// τ_d = P(D ≤ d); 0 for d < 0.
double cdf(const DelayLaw& law, std::int64_t d);
/// Inverse CDF at v ∈ (0,1); for the geometric law ⌊ln v / ln ρ⌋ in extended precision, so that no library's or
/// target's last bit of a logarithm can move a delay.
std::int64_t delay_at(const DelayLaw& law, double v);
/// The largest value delay_at can return for a uniform of rng::open_uniform: bounds every calendar.
std::int64_t longest_delay(const DelayLaw& law);

/// "geometric:500"; reads back by parse_delay_law to an equal law.
std::string to_text(const DelayLaw& law);
/// Throws UserError: one line that names what is allowed.
DelayLaw parse_delay_law(std::string_view text);

}  // namespace dbandit::model
