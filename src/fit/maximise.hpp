#pragma once

#include <functional>
#include <span>
#include <vector>

/// NLopt, in one file.
namespace dbandit::fit {

struct Maximum {
  std::vector<double> at;
  double value;
};

/// A local maximum of `f` within the box, from `start`, without derivatives; f may be −∞. `step` is the size of the first one in every
/// coordinate.
Maximum maximise(const std::function<double(std::span<const double>)>& f, std::vector<double> start, std::span<const double> low,
                 std::span<const double> high, double step);

}  // namespace dbandit::fit
