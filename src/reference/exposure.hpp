#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dbandit/model/experiment.hpp"

namespace dbandit::reference {

/// A_1 … A_t; round s is element s − 1.
using Actions = std::vector<std::uint16_t>;

/// τ_0 … τ_m: the chance that a conversion shows by age d. A pull older than the table keeps its last value, which is how
/// censoring enters every sum below; without a window the table reaches the horizon, so no pull is older.
std::vector<double> visibility(const model::DelayLaw& law, const model::Window& window, std::int64_t horizon);
/// The same of every law of the arms: one table for all, or one each.
std::vector<std::vector<double>> visibilities(const model::Delays& delays, const model::Window& window, std::int64_t horizon);

/// The definition (§5.1): Ñ_k(t) = Σ_{s≤t} 1{A_s=k} τ_{min(t−s,m)}. A pull of this very round counts with τ_0 and one of age m
/// with τ_m; the printed sums leave both out, while S_k counts their conversions.
/// `weight` is τ, or integer counts in its place (Appendix D), in which case the sum is exact.
template <class Weight>
std::vector<Weight> exposure_by_definition(const Actions& actions, std::size_t arms, std::span<const Weight> weight) {
  std::vector<Weight> exposure(arms, 0);
  const std::size_t rounds = actions.size(), oldest = weight.size() - 1;
  for (std::size_t s = 1; s <= rounds; ++s) exposure[actions[s - 1]] += weight[std::min(rounds - s, oldest)];
  return exposure;
}

/// The buffer (§7): the last m pulls times τ of their age, plus τ_m M_k for the older ones, `matured` = M_k.
template <class Weight>
std::vector<Weight> exposure_by_buffer(const Actions& actions, std::span<const std::int64_t> matured, std::span<const Weight> weight) {
  std::vector<Weight> exposure(matured.size());
  for (std::size_t k = 0; k < matured.size(); ++k) exposure[k] = weight.back() * static_cast<Weight>(matured[k]);
  const std::size_t rounds = actions.size(), buffered = std::min(rounds, weight.size() - 1);
  for (std::size_t age = 0; age < buffered; ++age) exposure[actions[rounds - 1 - age]] += weight[age];
  return exposure;
}

}  // namespace dbandit::reference
