#include "fit/maximise.hpp"

#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace dbandit::fit {
namespace {

using Function = std::function<double(std::span<const double>)>;

/// Quadratic models want finite values: an impossible point is worse than anything possible.
constexpr double kWorst = -1e300;

struct Search {
  const Function& f;
  Maximum best;
};

double evaluate(unsigned size, const double* x, double* /*gradient*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  const double value = search.f({x, size});
  const double finite = std::isfinite(value) ? value : kWorst;
  if (finite > search.best.value) search.best = {{x, x + size}, finite};
  return finite;
}

}  // namespace

Maximum maximise(const Function& f, std::vector<double> start, std::span<const double> low, std::span<const double> high, double step) {
  const auto size = static_cast<unsigned>(start.size());
  for (unsigned i = 0; i < size; ++i) start[i] = std::clamp(start[i], low[i], high[i]);
  Search search{f, {start, f(start)}};
  if (!std::isfinite(search.best.value)) search.best.value = kWorst;
  if (size == 0) return search.best;
  // BOBYQA needs two coordinates at least. A second search from where the first ended has a model of the right size there.
  for (const double first : {step, step / 10}) {
    const std::unique_ptr<std::remove_pointer_t<nlopt_opt>, decltype(&nlopt_destroy)> search_by(
        nlopt_create(size > 1 ? NLOPT_LN_BOBYQA : NLOPT_LN_NELDERMEAD, size), nlopt_destroy);
    nlopt_set_max_objective(search_by.get(), evaluate, &search);
    nlopt_set_lower_bounds(search_by.get(), low.data());
    nlopt_set_upper_bounds(search_by.get(), high.data());
    nlopt_set_initial_step1(search_by.get(), first);
    nlopt_set_xtol_abs1(search_by.get(), 1e-7);
    nlopt_set_ftol_abs(search_by.get(), 1e-9);
    nlopt_set_maxeval(search_by.get(), static_cast<int>(150 * (size + 1)));
    std::vector<double> at = search.best.at;
    double value = 0;
    // Its verdict does not matter (rounding may end a search at the maximum itself): the best point seen does.
    static_cast<void>(nlopt_optimize(search_by.get(), at.data(), &value));
  }
  return search.best;
}

}  // namespace dbandit::fit
