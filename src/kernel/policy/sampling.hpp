#pragma once

#include "kernel/policy/exploration.hpp"
#include "kernel/policy/family.hpp"
#include "kernel/policy/lead.hpp"
#include "rng/gamma.hpp"

/// Thompson sampling: the largest of a posterior sample for every arm is played. The posterior is Gamma(a + S, rate b + Ñ), and dividing by
/// the rate is left to the comparison of fractions: a sample is the Gamma(a + S, 1) variate at the address of replica, round and arm, the
/// same bits as rng::gamma_at.
namespace dbandit::kernel {

struct Sampling : Family {
  double shape = 1, rate = 1;       ///< a and b
  double* samples = nullptr;        ///< Gamma(a + S, 1) variates
  std::uint32_t* unsure = nullptr;  ///< cells whose sample needs more than the first attempt

  void size(const Setup& setup, const Books&) {
    shape = setup.experiment.rule.prior_shape;
    rate = setup.experiment.rule.prior_rate;
  }
  void declare(Rows& rows, const Books& books) {
    rows(samples, books.cells());
    rows(unsure, books.cells());
  }

  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) const;
  std::size_t resolve(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round, std::size_t lane) const;

 private:
  /// Draws the samples of the first `listed` cells of `unsure`, however many attempts they need.
  void finish(const Books& books, std::int64_t round, std::size_t listed) const;
};

template <class Arch>
struct VectorMath {
  using Real = Doubles<Arch>;
  using Word = Words<Arch>;
  static Real real(const Word& bits) { return xsimd::bitwise_cast<Real>(bits); }
  static Word bits(const Real& value) { return xsimd::bitwise_cast<Word>(value); }
  static Real sqrt(const Real& value) { return xsimd::sqrt(value); }
};

/// The variates of `count` neighbouring replicas (a multiple of kLaneGroup) whose first attempt is accepted without a logarithm, nine in
/// ten; the places of the others are listed, each plus `offset`. Returns the new length of the list.
template <class Arch>
inline std::size_t draw_gammas(std::uint64_t seed, std::uint64_t first, std::uint64_t round, std::uint64_t arm, const double* counts,
                               double shape, double* drawn, std::size_t count, std::uint32_t* list, std::size_t offset,
                               std::size_t listed) {
  using Math = VectorMath<Arch>;
  using D = Doubles<Arch>;
  constexpr std::size_t kWidth = D::size, kAbreast = 8 / kWidth;
  for (std::size_t at = 0; at < count; at += kAbreast * kWidth) {
    Words<Arch> low[kAbreast], high[kAbreast];
    philox_from<Arch>(seed, rng::Stream::policy, arm, first + at, round, low, high);
    for (std::size_t i = 0; i < kAbreast; ++i) {
      const std::size_t here = at + i * kWidth;
      const D wanted = D::load_aligned(counts + here) + D(shape);
      const auto draw = rng::gamma_draw<Math>(low[i], high[i]);
      const auto tried = rng::gamma_attempt<Math>(wanted, draw.normal);
      tried.value.store_aligned(drawn + here);
      const auto sure = (tried.root > D(0.0)) & (draw.uniform < tried.sure) & (wanted >= D(1.0));
      for (unsigned left = ~bits<Arch>(sure) & ((1u << kWidth) - 1); left != 0; left &= left - 1) {
        list[listed++] = static_cast<std::uint32_t>(offset + here + static_cast<unsigned>(__builtin_ctz(left)));
      }
    }
  }
  return listed;
}

template <class Arch>
inline void Sampling::choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) const {
  using D = Doubles<Arch>;
  std::size_t listed = 0;
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    const std::size_t row = arm * books.lanes;
    listed = draw_gammas<Arch>(books.seed, books.first, static_cast<std::uint64_t>(round), arm, books.conversions + row, shape,
                               samples + row, books.lanes, unsure, row, listed);
  }
  finish(books, round, listed);
  const D prior(rate);
  exposure.denominator(books).with_kind<Arch>([&](auto below) {
    using Kind = Denominator::Kind;
    constexpr Kind kind = decltype(below)::kind;
    if constexpr (kind == Kind::recursion || kind == Kind::row) {
      choose_largest<Arch, false, kind == Kind::row>(
          books, ties, 2 * kTie, [drawn = samples](std::size_t cell) { return D::load_aligned(drawn + cell); },
          [below, prior](std::size_t cell) { return below(cell) + prior; }, NoLead());
    }
  });
}

/// Thompson sampling by itself, after the start.
struct Thompson : Sampling {
  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) const {
    if (!play_in_order<Arch>(books, round)) Sampling::choose<Arch>(books, exposure, ties, round);
  }
};

}  // namespace dbandit::kernel
