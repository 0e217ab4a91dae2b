#pragma once

#include "kernel/policy/exploration.hpp"
#include "kernel/policy/family.hpp"
#include "kernel/policy/lead.hpp"

/// PatientBandits where the delays have a heavier tail than α = ½ (what it is, and what was fixed: reference/index.hpp). The index is
/// (S + √(N/2) √β + N^{1−α})/N; the last term changes with N only, so it is kept. From α = ½ on the index is that of index.hpp.
namespace dbandit::kernel {

struct Patient : Family {
  double alpha = 0.5;
  Exploration exploration;
  double* root = nullptr;       ///< [cell] √(N/2): account
  double* allowance = nullptr;  ///< [cell] N^{1−α}

  [[nodiscard]] static bool takes(const model::Experiment& experiment) {
    return experiment.rule.index == model::IndexForm::patient && experiment.rule.alpha < 0.5;
  }
  void size(const Setup& setup, const Books&) {
    alpha = setup.experiment.rule.alpha;
    exploration.epsilon = setup.experiment.rule.epsilon;
  }
  void declare(Rows& rows, const Books& books) {
    rows(root, books.cells());
    rows(allowance, books.cells());
  }
  [[gnu::always_inline]] Radius radius() const { return {.of = RadiusOf::pulls, .root = root}; }

  template <class Arch>
  void choose(const Books& books, const Exposure&, Ties& ties, std::int64_t round) {
    using D = Doubles<Arch>;
    if (play_in_order<Arch>(books, round)) return;
    exploration.look_up(round);
    const double *const conversions = books.conversions, *const gains = root, *const allowed = allowance, *const pulls = books.pulls;
    const D root_beta(exploration.root_beta);
    choose_largest<Arch, false, false>(
        books, ties, 2 * kTie,
        [=](std::size_t cell) {
          return (D::load_aligned(conversions + cell) + D::load_aligned(gains + cell) * root_beta) + D::load_aligned(allowed + cell);
        },
        [=](std::size_t cell) { return D::load_aligned(pulls + cell); }, NoLead());
  }
  std::size_t resolve(const Books& books, const Exposure&, const Ties& ties, std::int64_t round, std::size_t lane) const;
  /// N^{1−α} of the arms just pulled.
  void observe(const Books& books, const World&, std::int64_t round) const;
};

}  // namespace dbandit::kernel
