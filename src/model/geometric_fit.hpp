#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dbandit/model/delay_law.hpp"

namespace dbandit::model {

/// A survival function as a sum of geometric ones, P(D > d) ≈ Σ_j w_j ρ_j^{d+1}; weights may be negative.
struct GeometricFit {
  std::vector<Mixture::Part> parts;
  /// The certified error: the largest |Σ_j w_j ρ_j^{d+1} − P(D > d)| over d = 0 … last, every d looked at. An exposure summed with the fit
  /// is then within error · N of the true one, whatever was pulled when.
  double error = 0;
};

/// The shortest fit of a ladder of lengths with error ≤ tolerance, or the best one there is: at most 64 parts with rates spread evenly in
/// the logarithm, weights by least squares. Exact, with error 0, for a geometric law and a mixture. The latest fits are remembered.
/// Whoever holds one keeps it. Asking for a remembered one allocates nothing.
std::shared_ptr<const GeometricFit> fit_geometrics(const DelayLaw& law, std::int64_t last, double tolerance);
/// How many were computed, not remembered.
std::size_t fits_computed();

/// What fit_geometrics takes while it works.
double fit_bytes(const DelayLaw& law, std::int64_t last);

/// The error is looked up at every d: this is how far it may reach.
inline constexpr std::int64_t kLongestFit = 10'000'000;

}  // namespace dbandit::model
