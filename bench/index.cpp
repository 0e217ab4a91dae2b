// What one Poisson KL index costs, and how wrong it is: h(S, β) by the three solvers on every target, and outsiders in scalar.
// Names: index/SOLVER/TARGET; items are indices; worst_error is the largest relative error against 80-bit arithmetic.
#include "reference/index.hpp"

#include <algorithm>
#include <boost/math/special_functions/lambert_w.hpp>
#include <cmath>
#include <memory>
#include <string>

#include "engine_work.hpp"
#include "sim/names.hpp"

namespace dbandit::bench {
namespace {

constexpr std::size_t kCount = 4096;
const double kBeta = std::log(1e4);

/// h(S, β) = S (1 + y), y − log1p(y) = β/S, by Newton from above: ten steps are more than it needs.
double exact_bound(double conversions, double beta) {
  if (conversions == 0) return beta;
  const long double c = static_cast<long double>(beta) / conversions, s = std::sqrt(2 * c);
  long double y = s + c;
  for (int i = 0; i < 10; ++i) y = ((1 + y) * (std::log1p(y) + c) - y) / y;
  return static_cast<double>(conversions * (1 + y));
}

struct Arrays {
  AlignedVector<double> conversions = AlignedVector<double>(kCount);
  AlignedVector<double> exposure = AlignedVector<double>(kCount);
  AlignedVector<double> bounds = AlignedVector<double>(kCount);

  /// S from 0 to 1000, as an arm has them in 10^4 rounds, and an exposure for which the index is below 1.
  Arrays() {
    for (std::size_t i = 0; i < kCount; ++i) {
      conversions[i] = static_cast<double>(i * 7919 % 1001);
      exposure[i] = 50 + 10 * conversions[i];
    }
  }
  [[nodiscard]] double worst_error() const {
    double worst = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      worst = std::max(worst, std::abs(bounds[i] / exact_bound(conversions[i], kBeta) - 1));
    }
    return worst;
  }
};

/// `fill` computes all bounds; `allowed` is the relative error that the solver states.
template <class Fill>
void add_solver(const std::string& name, double allowed, Fill fill) {
  add("index/" + name, [=] {
    auto arrays = std::make_shared<Arrays>();
    fill(*arrays);
    const double worst = arrays->worst_error();
    return Work{.items = kCount,
                .run =
                    [=] {
                      fill(*arrays);
                      keep(arrays->bounds.data());
                    },
                .fault = [=] { return worst <= allowed ? "" : "worst error " + std::to_string(worst) + " is beyond what it states"; },
                .counters = {{"worst_error", worst}}};
  });
}

template <class Index>
void add_scalar(const std::string& name, double allowed, Index index) {
  add_solver(name + "/scalar", allowed, [=](Arrays& arrays) {
    for (std::size_t i = 0; i < kCount; ++i) arrays.bounds[i] = index(arrays.conversions[i], arrays.exposure[i]) * arrays.exposure[i];
  });
}

/// As pymaBandits does it: halving [θ̂, 1] on Ñ d_Pois(θ̂, q) ≤ β until the ends are within a tolerance, the logarithm in every step.
double halving(double conversions, double exposure, double tolerance) {
  const double p = conversions / exposure;
  double low = p, high = 1;
  while (high - low > tolerance) {
    const double q = (low + high) / 2;
    const double divergence = (p > 0 ? p * std::log(p / q) : 0) + q - p;
    (exposure * divergence > kBeta ? high : low) = q;
  }
  return (low + high) / 2;
}

double by_lambert(double conversions, double exposure) {
  if (conversions == 0) return kBeta / exposure;
  return -boost::math::lambert_wm1(-std::exp(-1 - kBeta / conversions)) * conversions / exposure;
}

}  // namespace

void declare() {
  struct Solver {
    model::Solver solver;
    double allowed;
  };
  for (const kernel::Target* target : supported_targets()) {
    for (const auto& [solver, allowed] :
         {Solver{model::Solver::direct, 5e-9}, {model::Solver::newton, 1e-15}, {model::Solver::bisection, 1e-15}}) {
      add_solver(std::string(sim::name_of(solver)) + "/" + target_name(target), allowed,
                 [=](Arrays& arrays) { target->poisson_bounds(solver, arrays.conversions.data(), kBeta, arrays.bounds.data(), kCount); });
    }
  }
  add_scalar("boost-lambert", 1e-12, by_lambert);
  add_scalar("log-bisection-1e-6", 1e-3, [](double s, double n) { return halving(s, n, 1e-6); });
  add_scalar("log-bisection-1e-15", 1e-12, [](double s, double n) { return halving(s, n, 1e-15); });
  add_scalar("reference", 1e-12, [](double s, double n) { return reference::klucb_index({s, n, n}, kBeta, model::Clamp::one); });
}

}  // namespace dbandit::bench
