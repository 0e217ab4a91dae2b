#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <string>
#include <vector>

#include "dbandit/sim/result.hpp"
#include "sim/sums.hpp"

namespace dbandit::python {

/// A result and, beside it, what Python shows as arrays: buffers laid out once, that every array is a view of. An array keeps the
/// result alive.
class HeldResult {
 public:
  /// samples: [policy][replica] final regrets, or none.
  explicit HeldResult(sim::Result result, std::vector<double> samples = {});

  [[nodiscard]] const sim::Result& result() const { return result_; }

  /// A mean with its standard error and the ends of its 95 % interval, each as [row][column].
  struct Estimate {
    std::size_t rows = 0, columns = 0;
    std::array<std::vector<double>, 4> parts;
    Estimate(std::size_t rows, std::size_t columns);
    void set(std::size_t row, std::size_t column, const stats::Moments& moments, double half_width);
  };
  [[nodiscard]] const Estimate& curve(const std::string& measure) const;
  [[nodiscard]] const Estimate& pulls() const { return pulls_; }    ///< [policy][arm]
  [[nodiscard]] const Estimate& paired() const { return paired_; }  ///< [a][b]: final regret of a minus that of b
  [[nodiscard]] const std::vector<std::int64_t>& band_rounds() const { return band_rounds_; }
  [[nodiscard]] const std::array<std::vector<double>, 3>& band() const { return band_; }  ///< 10, 50, 90 %: [policy][band round]
  [[nodiscard]] const std::vector<double>& samples() const { return samples_; }

 private:
  sim::Result result_;
  std::vector<Estimate> curves_;  ///< in the order of sim::kMeasures
  Estimate pulls_, paired_;
  std::vector<std::int64_t> band_rounds_;
  std::array<std::vector<double>, 3> band_;
  std::vector<double> samples_;
};

void declare_result(pybind11::module_& module);

}  // namespace dbandit::python
