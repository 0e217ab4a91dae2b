#pragma once

#include "kernel/policy/exploration.hpp"
#include "kernel/policy/family.hpp"

/// Indexed minimum empirical divergence (Honda and Takemura 2015) on corrected counts: the arm of least Ñ d_Pois(θ̂, θ̂*) + ln Ñ is played,
/// θ̂* the largest estimate. With r = Ñ θ̂*/S the divergence is S (r − 1 − ln r), or Ñ θ̂* where S = 0. Indices within kTie (1 + |least|) of
/// the least are tied. The vectors leave what is closer than a margin to the exact indices.
namespace dbandit::kernel {

struct Imed : Family {
  double* indices = nullptr;  ///< [arm] scratch of an exact decision

  [[nodiscard]] static bool takes(const model::Experiment& experiment) { return experiment.rule.index == model::IndexForm::imed; }
  void declare(Rows& rows, const Books& books) { rows(indices, books.arms); }

  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) const;
  std::size_t resolve(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round, std::size_t lane) const;
};

template <class Arch>
inline void Imed::choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) const {
  using D = Doubles<Arch>;
  if (play_in_order<Arch>(books, round)) return;
  std::size_t undecided = 0;
  exposure.denominator(books).with_kind<Arch>([&](auto below) {
    for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
      D best(0.0);
      Mask<Arch> unknown(false);
      for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes) {
        const D visible = below(cell);
        const auto none = visible <= D(0.0);
        unknown = unknown | none;
        best = xsimd::max(best, D::load_aligned(books.conversions + cell) / xsimd::select(none, D(1.0), visible));
      }
      D least(1e300), least_doubt(0.0), choice(0.0), arm(0.0);
      Mask<Arch> close(false);
      for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes) {
        const D visible = xsimd::max(below(cell), D(1e-300)), conversions = D::load_aligned(books.conversions + cell);
        const auto none = conversions == D(0.0);
        const D expected = visible * best, ratio = xsimd::select(none, D(1.0), expected / xsimd::select(none, D(1.0), conversions));
        const D divergence = xsimd::select(none, expected, conversions * ((ratio - D(1.0)) - xsimd::log(ratio)));
        const D depth = xsimd::log(visible), index = divergence + depth;
        // Far above what the logarithms and the difference of two nearly equal numbers can lose.
        const D doubt = D(1e-11) * (D(1.0) + xsimd::abs(depth) + expected + conversions);
        const auto better = index < least;
        const D lead = least - index, apart = doubt + least_doubt;
        close = (close & (lead <= apart)) | (xsimd::abs(lead) <= apart);
        least = xsimd::select(better, index, least);
        least_doubt = xsimd::select(better, doubt, least_doubt);
        choice = xsimd::select(better, arm, choice);
        arm = arm + D(1.0);
      }
      choice.store_aligned(books.action + lane);
      for (unsigned found = bits<Arch>(close | unknown); found != 0; found &= found - 1) {
        ties.undecided[undecided++] = static_cast<std::uint32_t>(lane + static_cast<unsigned>(__builtin_ctz(found)));
      }
    }
  });
  ties.count = undecided;
  ties.decisions += books.lanes;
  ties.resolved += undecided;
}

}  // namespace dbandit::kernel
