#pragma once

#include <span>
#include <vector>

#include "fit/counts.hpp"
#include "fit/families.hpp"

/// The likelihood of a log (Chapelle 2014, in rounds): a click on arm k that was observed for n rounds has shown its conversion after d < n
/// of them with the chance θ_k P(D = d), and none with 1 − θ_k P(D < n). Clicks whose window has ended are those with n rounds of window.
namespace dbandit::fit {

/// The arms of a log that have one law in common.
class Likelihood {
 public:
  explicit Likelihood(std::span<const ArmCounts> arms);

  [[nodiscard]] std::size_t arms() const { return arms_.size(); }
  [[nodiscard]] const Seen& seen() const { return seen_; }

  /// ln L at these rates and parameters.
  [[nodiscard]] double at(const Family& family, std::span<const double> parameters, std::span<const double> rates) const;

  /// The part of one arm's clicks, its conversions' delays aside.
  [[nodiscard]] double of_arm(const Family& family, std::span<const double> parameters, std::size_t arm, double rate) const;

  /// Given the law each rate is a problem of its own, concave, in one number: the rates that maximise, and ln L there.
  struct Profile {
    double log_likelihood;
    std::vector<double> rates;
    std::vector<double> information;  ///< −∂²ln L/∂θ_k², at the maximum
  };
  /// A rate that is not NaN in `fixed` is taken as it is.
  [[nodiscard]] Profile profile(const Family& family, std::span<const double> parameters, std::span<const double> fixed = {}) const;

 private:
  struct Waiting {
    std::size_t age;  ///< index into ages_
    double count;
  };
  struct Arm {
    double conversions = 0;
    std::vector<Waiting> waiting;
  };
  [[nodiscard]] double of_delays(const Family& family, std::span<const double> parameters) const;
  [[nodiscard]] std::vector<double> visible(const Family& family, std::span<const double> parameters) const;
  static double of_rate(const Arm& arm, double rate, std::span<const double> tau);

  std::vector<double> delays_, delay_counts_;  ///< of all arms together
  std::vector<double> ages_;                   ///< n − 1
  std::vector<Arm> arms_;
  Seen seen_{};
};

}  // namespace dbandit::fit
