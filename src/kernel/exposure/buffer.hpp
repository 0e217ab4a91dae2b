#pragma once

#include "kernel/books.hpp"
#include "kernel/lanes.hpp"
#include "kernel/setup.hpp"

namespace dbandit::kernel {

/// Ñ by the paper's buffer (§7), for every law: every pull of the last rounds weighted by τ of its age, plus τ_m M. O(m) a round; arms in
/// tiles of four so that the ring is read once per tile, lanes side by side so that nothing is gathered.
struct Buffer {
  const double** cdf = nullptr;  ///< [arm] τ_0 … τ_m as the policy believes

  void declare(Rows& rows, const Books& books) { rows(cdf, books.arms); }
  void fill(const Setup& setup, const Books& books) { setup.tables.cdfs(setup.experiment.believed(), books.arms, books.ring.length, cdf); }

  template <class Arch>
  void follow(const Books& books, double*, double* exposure, std::int64_t round) {
    using D = Doubles<Arch>;
    const std::size_t lanes = books.lanes, arms = books.arms;
    const auto* const ring = static_cast<const double*>(books.ring.ids);
    const std::int64_t length = books.ring.length, filled = round < length ? round : length;
    const std::int64_t newest = round % length;
    for (std::size_t arm = 0; arm < arms; arm += 4) {
      const D id0(static_cast<double>(arm)), id1(static_cast<double>(arm + 1)), id2(static_cast<double>(arm + 2)),
          id3(static_cast<double>(arm + 3));
      const auto of = [&](std::size_t i) { return cdf[arm + i < arms ? arm + i : arm]; };
      const double *const cdf0 = of(0), *const cdf1 = of(1), *const cdf2 = of(2), *const cdf3 = of(3);
      for (std::size_t lane = 0; lane < lanes; lane += D::size) {
        D sum0(0.0), sum1(0.0), sum2(0.0), sum3(0.0);
        const auto add = [&](std::int64_t slot, std::int64_t age) {
          const D pulled = D::load_aligned(ring + static_cast<std::size_t>(slot) * lanes + lane);
          const D nothing(0.0);
          sum0 = sum0 + xsimd::select(pulled == id0, D(cdf0[age]), nothing);
          sum1 = sum1 + xsimd::select(pulled == id1, D(cdf1[age]), nothing);
          sum2 = sum2 + xsimd::select(pulled == id2, D(cdf2[age]), nothing);
          sum3 = sum3 + xsimd::select(pulled == id3, D(cdf3[age]), nothing);
        };
        std::int64_t age = 0;
        for (std::int64_t slot = newest; age < filled && slot >= 0; --slot, ++age) add(slot, age);
        for (std::int64_t slot = length - 1; age < filled; --slot, ++age) add(slot, age);
        const D sums[4] = {sum0, sum1, sum2, sum3};
        for (std::size_t i = 0; i < 4 && arm + i < arms; ++i) {
          const std::size_t cell = (arm + i) * lanes + lane;
          (sums[i] + D(cdf[arm + i][length]) * D::load_aligned(books.matured + cell)).store_aligned(exposure + cell);
        }
      }
    }
  }
};

}  // namespace dbandit::kernel
