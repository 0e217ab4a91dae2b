#pragma once

#include <algorithm>

#include "kernel/exposure/leaving.hpp"
#include "kernel/setup.hpp"

namespace dbandit::kernel {

/// Constant delay: a pull is worth 1 from the round in which it is that old. (A window that closes before shows nothing, ever.)
struct Echo {
  Ring ring;  ///< of the pulls younger than the delay

  void size(const model::Constant& law, const model::Experiment& experiment) { ring.length = std::min(law.delay, experiment.horizon); }
  void declare(Rows& rows, const Books& books) { ring.declare(rows, books.lanes); }

  void fill(const Setup&, const Books&) {}

  template <class Arch>
  void follow(const Books& books, double* leaving, double* exposure, std::int64_t round) {
    const double* heard = books.action;
    if (ring.length != 0) {
      note_leaving<Arch>(ring, books.lanes, round, leaving);
      heard = leaving;
    }
    for (std::size_t lane = 0; lane < books.lanes; ++lane) {
      if (heard[lane] >= 0) exposure[arm_of(heard[lane]) * books.lanes + lane] += 1;
    }
    remember<Arch>(ring, books, round);
  }
};

}  // namespace dbandit::kernel
