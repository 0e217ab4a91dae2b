#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace dbandit::model {

/// Number of failures before a success, mean μ: support {0, 1, …}, ρ = μ/(1+μ), P(D = d) = (1−ρ)ρ^d, τ_d = 1 − ρ^{d+1} (§7).
struct Geometric {
  double mean;
  friend bool operator==(const Geometric&, const Geometric&) = default;
};

/// Σ_j w_j Geometric(μ_j), w_j > 0, Σ w_j = 1: a share w_j of the conversions has the mean delay μ_j.
struct Mixture {
  struct Part {
    double weight;
    double mean;
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;
  friend bool operator==(const Mixture&, const Mixture&) = default;
};

/// 0, 1, …, last, each as likely.
struct Uniform {
  std::int64_t last;
  friend bool operator==(const Uniform&, const Uniform&) = default;
};

/// Always this many rounds. τ_d = 0 before: nothing is known of an arm until its first pull is that old.
struct Constant {
  std::int64_t delay;
  friend bool operator==(const Constant&, const Constant&) = default;
};

/// The sum of r independent Geometric(mean/r): a conversion passes through r stages.
struct NegativeBinomial {
  std::int64_t stages;
  double mean;
  friend bool operator==(const NegativeBinomial&, const NegativeBinomial&) = default;
};

struct ContinuousLaw;

/// ⌊X⌋ for a continuous X ≥ 0 of a law that has a row (src/model/laws/: Weibull, log-normal, Pareto), with its two parameters.
struct Discretised {
  const ContinuousLaw* of;
  double first, second;
  friend bool operator==(const Discretised&, const Discretised&) = default;
};

/// Delays in proportion to how often each was observed; rising delays, positive counts.
struct Empirical {
  struct Count {
    std::int64_t delay;
    std::int64_t count;
    friend bool operator==(const Count&, const Count&) = default;
  };
  std::vector<Count> counts;
  friend bool operator==(const Empirical&, const Empirical&) = default;
};

/// The law of the delay D ∈ {0, 1, 2, …} between a pull and the disclosure of its conversion. The
/// alternatives are the laws of which more is known than their CDF; any other is Discretised: one file in src/model/laws/ and one row.
using DelayLaw = std::variant<Geometric, Mixture, Uniform, Constant, NegativeBinomial, Discretised, Empirical>;

/// No delay is longer: what delay_at says where the tail of a law reaches beyond it.
inline constexpr std::int64_t kLongestDelay = std::int64_t{1} << 60;

/// E[D]; infinite for a Pareto law of shape ≤ 1.
double mean(const DelayLaw& law);
/// 1 − τ_d = P(D > d), accurate in the tail; 1 for d < 0. Falls in d.
double survival(const DelayLaw& law, std::int64_t d);
/// τ_d = P(D ≤ d); 0 for d < 0.
double cdf(const DelayLaw& law, std::int64_t d);
/// Inverse CDF at v ∈ (0,1): the least d with survival(d) < v. For the geometric law ⌊ln v / ln ρ⌋ in extended precision, so that no
/// library's or target's last bit of a logarithm can move a delay.
std::int64_t delay_at(const DelayLaw& law, double v);
/// The largest value delay_at can return for a uniform of rng::open_uniform: bounds every calendar, and is where the uncensored
/// buffer is cut, since τ is 1 to the last bit beyond it.
std::int64_t longest_delay(const DelayLaw& law);

/// "geometric:500"; reads back by parse_delay_law to an equal law, without any file.
std::string to_text(const DelayLaw& law);
/// The same where it is short; otherwise a few words.
std::string short_text(const DelayLaw& law);
/// Throws UserError: one line that names what is allowed.
DelayLaw parse_delay_law(std::string_view text);

/// The delay of conversions after a click on an advertisement, matched to what is published of the Criteo data: 35 % within an hour,
/// 50 % within a day, 13 % after two weeks. Three exponential laws in continuous time, cut into rounds of `minutes`: a share of 0.3208 of
/// mean 10 minutes, 0.1250 of mean 4 hours and 0.5542 of mean 231.7 hours. The shares and the longest mean follow from the three facts;
/// 10 minutes and 4 hours are our choice. With rounds that divide an hour the three facts hold to 12 digits.
Mixture criteo(double minutes);

/// What `dbandit list delays` says of a family.
struct LawFamily {
  std::string form;     ///< "geometric:MEAN"
  std::string example;  ///< reads by parse_delay_law, except that a FILE must exist
  std::string summary;
  std::string exposure;  ///< the ways to sum it
};
std::vector<LawFamily> law_families();

}  // namespace dbandit::model
