#include "model/geometric_fit.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

#include "laws.hpp"

namespace dbandit::model {

namespace {

using Real = DoubleDouble;

/// Delays at which the fit is made: all of the first, then evenly spaced in the logarithm.
std::vector<std::int64_t> sample(std::int64_t last) {
  std::vector<std::int64_t> delays;
  for (double d = 0; d <= static_cast<double>(last); d = std::max(d + 1, d * 1.012)) delays.push_back(static_cast<std::int64_t>(d));
  if (delays.back() != last) delays.push_back(last);
  delays.erase(std::unique(delays.begin(), delays.end()), delays.end());
  return delays;
}

/// min |A x − b|² + δ²|x|² by Householder reflections; A by columns, each as long as b. δ keeps the weights from growing where the columns
/// are almost dependent: weights of 10^6 would cost the sum six of its digits.
std::vector<Real> least_squares(std::vector<std::vector<Real>> a, std::vector<Real> b, Real delta) {
  const std::size_t columns = a.size(), rows = b.size() + columns;
  for (std::size_t j = 0; j < columns; ++j) {
    a[j].resize(rows, 0);
    a[j][b.size() + j] = delta;
  }
  b.resize(rows, 0);
  std::vector<Real> diagonal(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    Real norm = 0;
    for (std::size_t i = j; i < rows; ++i) norm += a[j][i] * a[j][i];
    norm = sqrt(norm);
    diagonal[j] = a[j][j] > 0.0 ? -norm : norm;
    a[j][j] -= diagonal[j];
    const Real scale = Real(-1) / (diagonal[j] * a[j][j]);
    const auto reflect = [&](std::vector<Real>& column) {
      Real product = 0;
      for (std::size_t i = j; i < rows; ++i) product += a[j][i] * column[i];
      for (std::size_t i = j; i < rows; ++i) column[i] -= product * scale * a[j][i];
    };
    for (std::size_t k = j + 1; k < columns; ++k) reflect(a[k]);
    reflect(b);
  }
  std::vector<Real> x(columns);
  for (std::size_t j = columns; j-- > 0;) {
    Real sum = b[j];
    for (std::size_t k = j + 1; k < columns; ++k) sum -= a[k][j] * x[k];
    x[j] = sum / diagonal[j];
  }
  return x;
}

/// `count` geometric laws whose rates −ln ρ run from well below 1/last to beyond one a round.
GeometricFit fit(const DelayLaw& law, const std::vector<std::int64_t>& delays, std::size_t count) {
  const Real slowest = Real(0.2) / Real::of(delays.back() + 1), fastest = 6;
  std::vector<Real> survivals;
  for (const std::int64_t d : delays) survivals.emplace_back(survival(law, d));
  GeometricFit fit;
  std::vector<std::vector<Real>> basis;
  for (std::size_t j = 0; j < count; ++j) {
    const Real rate = slowest * pow(fastest / slowest, Real(static_cast<double>(j)) / static_cast<double>(count - 1));
    fit.parts.push_back({0, static_cast<double>(Real(1) / expm1(rate))});
    auto& column = basis.emplace_back();
    for (const std::int64_t d : delays) column.push_back(exp(Real::of(d + 1) * log_ratio(fit.parts.back().mean)));
  }
  const std::vector<Real> weights = least_squares(std::move(basis), std::move(survivals), 1e-11);
  for (std::size_t j = 0; j < count; ++j) fit.parts[j].weight = static_cast<double>(weights[j]);
  return fit;
}

/// The largest error over all d ≤ last, unless it is beyond `give_up`. Beyond the d where what is left of all parts and of the law cannot
/// exceed the error already found, nothing needs to be looked at: both fall.
double certified_error(const GeometricFit& fit, const DelayLaw& law, std::int64_t last, double give_up) {
  std::vector<Real> ratio, power;
  for (const auto& part : fit.parts) {
    ratio.push_back(exp(log_ratio(part.mean)));
    power.push_back(Real(part.weight) * ratio.back());
  }
  Real worst = 0;
  for (std::int64_t d = 0; d <= last; ++d) {
    Real sum = 0, size = 0;
    for (std::size_t j = 0; j < power.size(); ++j) {
      sum += power[j];
      size += abs(power[j]);
      power[j] *= ratio[j];
    }
    const Real truth = survival(law, d);
    worst = std::max(worst, abs(sum - truth));
    if (worst > give_up || !(size + truth > worst)) break;
  }
  Real weights = 0;
  for (const auto& part : fit.parts) weights += std::abs(part.weight);
  return static_cast<double>(worst + Real(0x1p-48) * weights);  // and what rounding can add when large weights cancel
}

GeometricFit best_fit(const DelayLaw& law, std::int64_t last, double tolerance) {
  if (const auto* known = std::get_if<Geometric>(&law)) return {{{1, known->mean}}, 0};
  if (const auto* known = std::get_if<Mixture>(&law)) return {known->parts, 0};
  const std::vector<std::int64_t> delays = sample(last);
  GeometricFit best;
  for (const std::size_t count : {4, 6, 8, 10, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64}) {
    if (count >= delays.size() && !best.parts.empty()) break;
    GeometricFit longer = fit(law, delays, count);
    longer.error = certified_error(longer, law, last, best.parts.empty() ? 2.0 : best.error);
    if (best.parts.empty() || longer.error < best.error) best = std::move(longer);
    if (best.error <= tolerance) break;
  }
  return best;
}

/// The latest fits. A fit takes up to seconds, and a run asks for each when its spec is made, on every thread and for its report.
struct Memo {
  struct Entry {
    DelayLaw law;
    std::int64_t last;
    double tolerance;
    std::shared_ptr<const GeometricFit> fit;
  };
  std::mutex mutex;
  std::deque<Entry> entries;
  std::size_t computed = 0;
};
Memo& memo() {
  static Memo all;
  return all;
}

}  // namespace

/// Up to 64 columns, one value per sampled delay and 64 more, each in a vector that grew; the right-hand side likewise.
double fit_bytes(const DelayLaw& law, std::int64_t last) {
  if (std::holds_alternative<Geometric>(law) || std::holds_alternative<Mixture>(law)) return 0;
  return 3.0 * 65 * sizeof(Real) * static_cast<double>(sample(last).size() + 64);
}

std::shared_ptr<const GeometricFit> fit_geometrics(const DelayLaw& law, std::int64_t last, double tolerance) {
  constexpr std::size_t most_entries = 1024;  // a law for each arm of a large problem
  const std::lock_guard lock(memo().mutex);   // held while it computes: who asks for the same meanwhile would compute it again
  auto& entries = memo().entries;
  const auto known = std::ranges::find_if(
      entries, [&](const Memo::Entry& entry) { return entry.last == last && entry.tolerance == tolerance && entry.law == law; });
  if (known != entries.end()) return known->fit;
  if (entries.size() == most_entries) entries.pop_front();
  ++memo().computed;
  auto fit = std::make_shared<const GeometricFit>(best_fit(law, last, tolerance));
  return entries.emplace_back(Memo::Entry{law, last, tolerance, std::move(fit)}).fit;
}

std::size_t fits_computed() {
  const std::lock_guard lock(memo().mutex);
  return memo().computed;
}

}  // namespace dbandit::model
