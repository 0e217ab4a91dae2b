#pragma once

#include "kernel/policy/exploration.hpp"
#include "kernel/policy/family.hpp"
#include "kernel/policy/learned_delays.hpp"
#include "rng/gamma.hpp"

/// Thompson sampling: the largest of a posterior sample for every arm is played. The posterior is Gamma(a + S, rate b + Ñ), with the Ñ of
/// the law believed in, of the delays learned so far, or N where nothing is corrected; a sample is the
/// quantile of Gamma(a + S, 1) at the uniform of replica, round and arm (rng::gamma_at) over the rate. The vectors compare estimates of the
/// samples, in single precision, whose error is bounded (rng::QuantileFit); where they are closer than that the exact samples decide, so
/// the decision is always theirs.
namespace dbandit::kernel {

/// Gamma variates of scale 1 for every arm of every lane, as the filter sees them. Rows [arm][stride].
struct Variates {
  static constexpr std::size_t kTerms = rng::QuantileFit::kDegree + 1;

  double first = 1;                            ///< the shape without news: shapes are first, first + 1, …
  const rng::QuantileFit* of_small = nullptr;  ///< [Tables::kQuantileFits] of the first shapes
  std::size_t row = 0;                         ///< arms times stride
  std::uint32_t* keys = nullptr;               ///< leading bits of the uniforms
  float* terms = nullptr;                      ///< kTerms rows: the fits' coefficients
  float* leasts = nullptr;                     ///< the least z that they fit,
  float* errors = nullptr;                     ///< their errors,
  float* shapes = nullptr;                     ///< and their shapes

  void declare(Rows& rows, std::size_t cells);
  /// The shape of a cell is first + `news` from now on.
  void set(std::size_t at, double news) const;

  // Uniforms that a fit does not cover: for z below its range the estimate is an upper bound only, above it none. Its ends by their keys, a
  // little inside: 2^32 Φ(−2.5), 2^32 Φ(−4) and 2^32 Φ(4).
  [[nodiscard]] bool is_above_least(std::size_t at) const { return keys[at] > (leasts[at] > -4 ? 30'000'000u : 140'000u); }
  [[nodiscard]] bool is_below_most(std::size_t at) const { return keys[at] < 0xFFFFFFFF - 140'000 && errors[at] < 1; }
};

struct Sampling : Family {
  static constexpr bool hears_conversions = true;

  model::Statistic statistic = model::Statistic::none;
  double rate = 1;             ///< b
  Variates gammas;             ///< of the shapes a + S
  std::size_t stride = 0;      ///< lanes, padded to vectors of singles
  float* rates = nullptr;      ///< [arm][stride] b + Ñ
  float* estimates = nullptr;  ///< [arm][stride] of the samples
  float* winners = nullptr;    ///< [stride] scratch
  LearnedDelays learned;

  void size(const Setup& setup, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books);

  /// Ñ of the posterior.
  [[nodiscard, gnu::always_inline]] Denominator visible(const Books& books, const Exposure& exposure) const {
    if (learned.kind != LearnedDelays::Kind::none) return {.row = learned.exposure};
    if (statistic == model::Statistic::uncorrected) return {.kind = Denominator::Kind::pulls, .pulls = books.pulls};
    return exposure.denominator(books);
  }
  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) const;
  std::size_t resolve(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round, std::size_t lane) const;
  /// Another conversion of an arm: its posterior has another shape.
  void converted(const Books& books, std::size_t arm, std::size_t lane) const;
};

template <class Arch>
using Singles = xsimd::batch<float, Arch>;

/// −ln x, x ∈ (2^-40, 1], within 1e-6: x = 2^e m with m within [√½, √2), and ln m by the series of artanh.
template <class Arch>
[[gnu::always_inline]] inline Singles<Arch> minus_log_estimate(const Singles<Arch>& x) {
  using F = Singles<Arch>;
  using I = xsimd::batch<std::int32_t, Arch>;
  const I bits = xsimd::bitwise_cast<I>(x), e = (bits - I(0x3F3504F3)) >> 23;
  const F m = xsimd::bitwise_cast<F>(bits - (e << 23)), s = (F(1.0f) - m) / (F(1.0f) + m), z = s * s;
  const F low = multiply_add<Arch>(z, F(2.0f / 3), F(2.0f)), high = multiply_add<Arch>(z, F(2.0f / 7), F(2.0f / 5));
  return multiply_add<Arch>(s, multiply_add<Arch>(z * z, high, low), xsimd::to_float(e) * F(-0.69314718f));
}

/// c_0 + c_1 x + c_2 x² + c_3 x³: two independent steps and one (Estrin), where Horner waits for each of three.
template <class Arch>
[[gnu::always_inline]] inline Singles<Arch> cubic(const Singles<Arch>& x, const Singles<Arch>& square, const Singles<Arch>& c0,
                                                  const Singles<Arch>& c1, const Singles<Arch>& c2, const Singles<Arch>& c3) {
  return multiply_add<Arch>(square, multiply_add<Arch>(x, c3, c2), multiply_add<Arch>(x, c1, c0));
}

/// Φ⁻¹ of the uniform whose leading bits are `keys`, within 6e-6 where it is within ±rng::QuantileFit::kMost and beyond that elsewhere.
/// With p the smaller tail and w = −ln 4p(1−p), z = (1 − 2p) F(w), F a polynomial (Giles 2010 has the form).
template <class Arch>
[[gnu::always_inline]] inline Singles<Arch> normal_estimate(const std::uint32_t* keys) {
  using F = Singles<Arch>;
  using I = xsimd::batch<std::int32_t, Arch>;
  const I key = I::load_aligned(reinterpret_cast<const std::int32_t*>(keys));
  const F p = multiply_add<Arch>(xsimd::to_float(key ^ (key >> 31)), F(0x1p-32f), F(0x1p-33f));
  const F four = F(4.0f) * p, w = xsimd::min(minus_log_estimate<Arch>(four - four * p), F(9.05f)) - F(4.525f), square = w * w;
  const F low = cubic<Arch>(w, square, F(2.79541079f), F(0.312063117f), F(-0.0104205224f), F(1.15956919e-05f));
  const F high = cubic<Arch>(w, square, F(0.000115234718f), F(-1.96893034e-05f), F(1.14595563e-06f), F(1.71110227e-07f));
  const F fourth = square * square;
  const F z = (F(1.0f) - (p + p)) * multiply_add<Arch>(fourth, multiply_add<Arch>(fourth, F(-2.51946381e-08f), high), low);
  return xsimd::select(xsimd::to_float(key) < F(0.0f), z, F(0.0f) - z);  // the leading bit: uniforms of ½ and more
}

/// The cube of a fit's polynomial. A z below the fit's range is set to its end: the estimate is then an upper bound.
template <class Arch>
[[gnu::always_inline]] inline Singles<Arch> quantile_estimate(const Singles<Arch>& z, const Singles<Arch>& least, const float* terms,
                                                              std::size_t row) {
  using F = Singles<Arch>;
  const F x = xsimd::max(z, least), square = x * x;
  const auto term = [&](std::size_t i) { return F::load_aligned(terms + i * row); };
  static_assert(Variates::kTerms == 7);
  const F low = cubic<Arch>(x, square, term(0), term(1), term(2), term(3));
  const F high = multiply_add<Arch>(square, term(6), multiply_add<Arch>(x, term(5), term(4)));
  const F root = multiply_add<Arch>(square * square, high, low);
  return root * root * root;
}

/// The same for shapes of kExpanded and more, by the expansion that rng::quantile_fit has its coefficients from, in x = z s and s² with
/// s = shape^−½: where a shape changes every round, s is all that is renewed. A z beyond ±kMost is set to that end: below it the estimate
/// is an upper bound, above it a lower one.
template <class Arch>
[[gnu::always_inline]] inline Singles<Arch> expanded_quantile(const Singles<Arch>& z, const Singles<Arch>& s) {
  using F = Singles<Arch>;
  const F most(static_cast<float>(rng::QuantileFit::kMost));
  const F x = xsimd::min(xsimd::max(z, F(0.0f) - most), most) * s, xx = x * x, ss = s * s;
  const F whole =
      multiply_add<Arch>(xx * xx, multiply_add<Arch>(xx, F(1.0f / 229635), multiply_add<Arch>(x, F(-1.0f / 7776), F(1.0f / 1215))),
                         multiply_add<Arch>(xx * x, F(-1.0f / 324), multiply_add<Arch>(x, F(1.0f / 3), F(1.0f))));
  const F first =
      multiply_add<Arch>(xx * xx, F(2.0f / 5103), cubic<Arch>(x, xx, F(-1.0f / 9), F(1.0f / 108), F(4.0f / 1215), F(-5.0f / 2916)));
  const F second = multiply_add<Arch>(xx, F(134.0f / 76545), multiply_add<Arch>(x, F(-5.0f / 2592), F(-7.0f / 1215)));
  const F rest = multiply_add<Arch>(ss, multiply_add<Arch>(ss, F(121.0f / 76545), second), first),
          root = multiply_add<Arch>(ss, rest, whole);
  return root * root * root;
}
inline constexpr float kExpanded = 16;
/// Its error: that of rng::quantile_fit, 3e-5 (16/shape)³ + 2e-5 s + 2e-6.
template <class Arch>
[[gnu::always_inline]] inline Singles<Arch> expanded_error(const Singles<Arch>& s) {
  using F = Singles<Arch>;
  const F ss = s * s;
  return multiply_add<Arch>(ss * ss, ss * F(3e-5f * 4096), multiply_add<Arch>(s, F(2e-5f), F(2e-6f)));
}

/// A posterior sample as the filter sees it: its relative error, and whether it is an upper bound only, or not even that.
template <class Arch>
struct Estimate {
  using F = Singles<Arch>;
  F sample, error;
  xsimd::batch_bool<float, Arch> is_bound, is_unknown;
};

/// The arm of the largest sample in every lane, by `estimate(at, arm)`; lists the lanes where the estimates do not tell.
template <class Arch, class Estimates>
inline void largest_sample(const Books& books, Ties& ties, std::size_t stride, std::size_t row, float* winners, Estimates estimate) {
  using F = Singles<Arch>;
  std::size_t undecided = 0;
  for (std::size_t lane = 0; lane < stride; lane += F::size) {
    F best(0.0f), best_error(0.0f), choice(0.0f), arm(0.0f);
    auto close = best > best, unbounded = close, best_is_bound = close;  // NOLINT(misc-redundant-expression): false in every lane
    std::size_t number = 0;
    for (std::size_t at = lane; at < row; at += stride, ++number) {
      const Estimate<Arch> of = estimate(at, number);
      const F lead = of.sample - best, doubt = (of.error + best_error) * xsimd::max(of.sample, best);
      const auto better = of.sample > best;
      // An arm that is clear of all before it makes up for their being close to each other.
      close = (close & (lead <= doubt)) | (xsimd::abs(lead) <= doubt);
      unbounded = unbounded | of.is_unknown;
      best_is_bound = (better & of.is_bound) | (best_is_bound & (of.sample <= best));
      best = xsimd::max(of.sample, best);
      best_error = xsimd::select(better, of.error, best_error);
      choice = xsimd::select(better, arm, choice);
      arm = arm + F(1.0f);
    }
    choice.store_aligned(winners + lane);
    for (unsigned found = bits<Arch>(close | unbounded | best_is_bound); found != 0; found &= found - 1) {
      const std::size_t hit = lane + static_cast<unsigned>(__builtin_ctz(found));
      if (hit < books.lanes) ties.undecided[undecided++] = static_cast<std::uint32_t>(hit);
    }
  }
  for (std::size_t lane = 0; lane < books.lanes; ++lane) books.action[lane] = static_cast<double>(winners[lane]);
  ties.count = undecided;
  ties.decisions += books.lanes;
  ties.resolved += undecided;
}

template <class Arch>
inline void Sampling::choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) const {
  using D = Doubles<Arch>;
  using F = Singles<Arch>;
  const D prior(rate);
  visible(books, exposure).with_kind<Arch>([&](auto below) {
    draw_keys<Arch>(books, rng::Stream::policy, 0, round, gammas.keys, stride);
    for (std::size_t arm = 0; arm < books.arms; ++arm) {
      for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
        store_singles<Arch>(below(arm * books.lanes + lane) + prior, rates + arm * stride + lane);
      }
    }
  });
  const F most(static_cast<float>(rng::QuantileFit::kMost));
  largest_sample<Arch>(books, ties, stride, gammas.row, winners, [&](std::size_t at, std::size_t) {
    const F z = normal_estimate<Arch>(gammas.keys + at), error = F::load_aligned(gammas.errors + at);
    const F least = F::load_aligned(gammas.leasts + at);
    const F sample = quantile_estimate<Arch>(z, least, gammas.terms + at, gammas.row) * F::load_aligned(gammas.shapes + at) /
                     F::load_aligned(rates + at);
    sample.store_aligned(estimates + at);
    return Estimate<Arch>{sample, error, z < least, (z > most) | (error >= F(1.0f))};
  });
}

/// Thompson sampling by itself, after the start.
struct Thompson : Sampling {
  [[nodiscard]] static bool takes(const model::Experiment& experiment) {
    return experiment.rule.index == model::IndexForm::thompson && experiment.rule.statistic != model::Statistic::matured;
  }
  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) const {
    if (!play_in_order<Arch>(books, round)) Sampling::choose<Arch>(books, exposure, ties, round);
  }
};

}  // namespace dbandit::kernel
