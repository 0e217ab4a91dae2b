#pragma once

#include "core/double_double.hpp"
#include "kernel/books.hpp"
#include "kernel/lanes.hpp"
#include "kernel/setup.hpp"

namespace dbandit::kernel {

/// Negative binomial: a pull enters the first stage; in every round a share ρ of what is in a stage stays, the rest moves on to the next
/// at once, and what leaves the last is visible. Ñ is the sum of that: of positive terms, so τ_0 = (1−ρ)^r keeps its digits. ρ y is
/// y − (1−ρ) y, for 1 − ρ is what is known to full precision. A pull that leaves the window takes with it what it has left in each stage.
struct Stages {
  const model::NegativeBinomial* law = nullptr;
  std::size_t count = 0;
  double chance = 0;          ///< 1 − ρ of a stage
  double* left = nullptr;     ///< [stage] what is left there at the end of the window
  double* waiting = nullptr;  ///< [arm][stage][lane]
  double* carry = nullptr;    ///< what the exposure's last sum rounded off

  void size(const model::NegativeBinomial& believed) {
    law = &believed;
    count = static_cast<std::size_t>(believed.stages);
  }
  void declare(Rows& rows, const Books& books) {
    rows(left, count);
    rows(waiting, books.cells() * count);
    rows(carry, books.cells());
  }
  void fill(const Setup& setup, const Books& books);

  template <class Arch>
  void follow(const Books& books, double* leaving, double* exposure, std::int64_t) {
    using D = Doubles<Arch>;
    const std::size_t lanes = books.lanes;
    for (std::size_t arm = 0; arm < books.arms; ++arm) {
      const D id(static_cast<double>(arm)), share(chance);
      for (std::size_t lane = 0; lane < lanes; lane += D::size) {
        const auto gone = D::load_aligned(leaving + lane) == id;
        D moving = where<Arch>(D::load_aligned(books.action + lane) == id, D(1.0));
        for (std::size_t stage = 0; stage < count; ++stage) {
          double* const cell = waiting + (arm * count + stage) * lanes + lane;
          const D here = D::load_aligned(cell) + moving;
          moving = share * here;
          ((here - moving) - where<Arch>(gone, D(left[stage]))).store_aligned(cell);
        }
        const std::size_t cell = arm * lanes + lane;
        // Much the same is added in every round, so rounding would always err to the same side: Kahan's sum.
        const D before = D::load_aligned(exposure + cell), term = moving - D::load_aligned(carry + cell), after = before + term;
        ((after - before) - term).store_aligned(carry + cell);
        after.store_aligned(exposure + cell);
      }
    }
  }
};

/// After m + 1 failures and i successes a pull of age m is in stage i + 1: C(m + i, i) p^i q^{m+1}.
inline void Stages::fill(const Setup& setup, const Books&) {
  const model::Window& window = setup.experiment.window;
  const auto r = DoubleDouble::of(law->stages);
  const DoubleDouble p = r / (r + law->mean);
  chance = static_cast<double>(p);
  if (!window || !(law->mean > 0)) return;
  DoubleDouble rest = exp(-(DoubleDouble::of(*window + 1) * log1p(r / law->mean)));
  for (std::int64_t i = 0; i < law->stages; ++i) {
    if (i > 0) rest *= p * DoubleDouble::of(*window + i) / DoubleDouble::of(i);
    left[static_cast<std::size_t>(i)] = static_cast<double>(rest);
  }
}

}  // namespace dbandit::kernel
