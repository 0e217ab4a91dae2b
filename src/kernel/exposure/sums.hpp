#pragma once

#include <algorithm>

#include "kernel/exposure/leaving.hpp"
#include "kernel/lanes.hpp"
#include "kernel/setup.hpp"

namespace dbandit::kernel {

/// Uniform on 0 … LAST: a pull is worth min(age + 1, LAST + 1, m + 1)/(LAST + 1), so a round adds one to every pull not older than the
/// shorter of LAST and m. Sums of integers: exact.
struct Sums {
  Ring ring;                  ///< of the pulls that still grow
  double divisor = 1;         ///< LAST + 1
  double* growing = nullptr;  ///< pulls whose chance to be visible still grows
  double* ages = nullptr;     ///< Σ min(age + 1, LAST + 1, m + 1)

  void size(const model::Uniform& law, const model::Experiment& experiment) {
    divisor = static_cast<double>(law.last + 1);
    ring.length = std::min(std::min(law.last, experiment.window.value_or(law.last)) + 1, experiment.horizon);
  }
  void declare(Rows& rows, const Books& books) {
    ring.declare(rows, books.lanes);
    rows(growing, books.cells());
    rows(ages, books.cells());
  }

  void fill(const Setup&, const Books&) {}

  template <class Arch>
  void follow(const Books& books, double* leaving, double* exposure, std::int64_t round) {
    using D = Doubles<Arch>;
    note_leaving<Arch>(ring, books.lanes, round, leaving);
    for (std::size_t arm = 0; arm < books.arms; ++arm) {
      const D id(static_cast<double>(arm));
      for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
        const std::size_t cell = arm * books.lanes + lane;
        const auto pulled = D::load_aligned(books.action + lane) == id, left = D::load_aligned(leaving + lane) == id;
        const D grown = (D::load_aligned(growing + cell) + where<Arch>(pulled, D(1.0))) - where<Arch>(left, D(1.0));
        const D sum = D::load_aligned(ages + cell) + grown;
        grown.store_aligned(growing + cell);
        sum.store_aligned(ages + cell);
        (sum / D(divisor)).store_aligned(exposure + cell);
      }
    }
    remember<Arch>(ring, books, round);
  }
};

}  // namespace dbandit::kernel
