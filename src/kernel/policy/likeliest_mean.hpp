#pragma once

#include "kernel/elementary.hpp"

/// model::truncated_mean in lanes, to the last bit: its root is the middle of the bracket at which TOMS algorithm 748 ends (Alefeld, Potra,
/// Shi 1995, as Boost writes it), so every step is taken as there. The steps follow one schedule, so lanes go together: those that are done
/// wait. The function rises through its root, and a is where it is negative.
namespace dbandit::kernel {

/// model::mean_of_observed_delays, μ > 0.
template <class Arch>
inline Doubles<Arch> mean_of_observed_delays(const Doubles<Arch>& mu, const Doubles<Arch>& t) {
  using D = Doubles<Arch>;
  const Exponentials<Arch> left = exponential<Arch>(D(0.0) - t * log1p_of<Arch>(D(1.0) / mu));
  const D gone = D(0.0) - left.less_one;
  return mu - (mu * (D(1.0) + mu) * gone - mu * t * left.value) / (t - mu * gone);
}

template <class Arch>
struct Bracket {
  using D = Doubles<Arch>;
  static constexpr double kUlp = 0x1p-52, kLargest = 0x1.fffffffffffffp+1023, kSmallest = 0x1p-1022;

  D a, b, fa, fb;   ///< the root is between a and b
  D d, e, fd, fe;   ///< the points that were given up last
  D t, observed;    ///< of the function: the mean that is observed by round t, less this one
  D left;           ///< evaluations
  Mask<Arch> live;  ///< lanes that are not done

  [[nodiscard]] static D over(const D& above, const D& below, const D& otherwise) {
    const auto is_too_large = (xsimd::abs(below) < D(1.0)) & (xsimd::abs(below * D(kLargest)) <= xsimd::abs(above));
    return xsimd::select(is_too_large, otherwise, above / below);
  }
  [[nodiscard]] D secant() const {
    const D c = a - (fa / (fb - fa)) * (b - a), width(kUlp * 5);
    return xsimd::select((c <= a + a * width) | (c >= b - b * width), (a + b) / D(2.0), c);
  }
  [[nodiscard]] D quadratic(int steps) const {
    const D first = over(fb - fa, b - a, D(kLargest));
    const D second = over(over(fd - fb, d - b, D(kLargest)) - first, d - a, D(0.0));
    D c = xsimd::select(second < D(0.0), a, b);
    for (int i = 0; i < steps; ++i) {
      c = c - over(fa + (first + second * (c - b)) * (c - a), first + second * (D(2.0) * c - a - b), D(1.0) + c - a);
    }
    return xsimd::select((second == D(0.0)) | (c <= a) | (c >= b), secant(), c);
  }
  /// Where two of the values are equal, `steps` of the quadratic.
  [[nodiscard]] D cubic(int steps) const {
    const D q11 = (d - e) * fd / (fe - fd), q21 = (b - d) * fb / (fd - fb), q31 = (a - b) * fa / (fb - fa);
    const D d21 = (b - d) * fd / (fd - fb), d31 = (a - b) * fb / (fb - fa);
    const D q22 = (d21 - q11) * fb / (fe - fb), q32 = (d31 - q21) * fa / (fd - fa), d32 = (d31 - q21) * fd / (fd - fa);
    const D q33 = (d32 - q22) * fa / (fe - fa);
    D c = q31 + q32 + q33 + a;
    const auto same = [](const D& x, const D& y) { return xsimd::abs(x - y) < D(kSmallest * 32); };
    const auto equal = same(fa, fb) | same(fa, fd) | same(fa, fe) | same(fb, fd) | same(fb, fe) | same(fd, fe);
    const auto beyond = ((c <= a) | (c >= b)) & !equal;
    if (bits<Arch>(beyond & live) != 0) c = xsimd::select(beyond, quadratic(3), c);
    if (bits<Arch>(equal & live) != 0) c = xsimd::select(equal, quadratic(steps), c);
    return c;
  }
  /// Replaces an end by c, in the lanes that are live and `where` is so. `keeps`: what was given up last becomes what was before it.
  void narrow(D c, const Mask<Arch>& where, bool keeps) {
    const D width(kUlp * 2);
    c = xsimd::select((b - a) < D(2 * (kUlp * 2)) * a, a + (b - a) / D(2.0),
                      xsimd::select(c <= a + a * width, a + a * width, xsimd::select(c >= b - b * width, b - b * width, c)));
    const D fc = mean_of_observed_delays<Arch>(c, t) - observed;
    const auto moves = live & where, is_root = moves & (fc == D(0.0)), above = moves & (fc > D(0.0)), below = moves & (fc < D(0.0));
    if (keeps) e = xsimd::select(moves, d, e), fe = xsimd::select(moves, fd, fe);
    d = xsimd::select(above, b, xsimd::select(below, a, xsimd::select(is_root, D(0.0), d)));
    fd = xsimd::select(above, fb, xsimd::select(below, fa, xsimd::select(is_root, D(0.0), fd)));
    b = xsimd::select(above, c, b), fb = xsimd::select(above, fc, fb);
    a = xsimd::select(below | is_root, c, a), fa = xsimd::select(below | is_root, fc, fa);
    left = xsimd::select(moves, left - D(1.0), left);
    stop();
  }
  void stop() { live = live & (left > D(0.0)) & (fa != D(0.0)) & !(xsimd::abs(a - b) <= D(0x1p-29) * xsimd::min(a, b)); }
  [[nodiscard]] bool done() const { return bits<Arch>(live) == 0; }

  /// From an a and a b whose values have their signs.
  void solve() {
    const Mask<Arch> all(true);
    left = D(60.0);
    d = e = D(1e5), fd = fe = D(1e5);
    stop();
    if (done()) return;
    narrow(secant(), all, false);
    if (!done()) narrow(quadratic(2), all, true);
    while (!done()) {
      const D before = b - a;
      narrow(cubic(2), all, true);
      if (done()) return;
      narrow(cubic(3), all, false);
      if (done()) return;
      const auto a_is_nearer = xsimd::abs(fa) < xsimd::abs(fb);
      const D u = xsimd::select(a_is_nearer, a, b), fu = xsimd::select(a_is_nearer, fa, fb);
      const D c = u - D(2.0) * (fu / (fb - fa)) * (b - a);
      narrow(xsimd::select(xsimd::abs(c - u) > (b - a) / D(2.0), a + (b - a) / D(2.0), c), all, true);
      const auto is_slow = !((b - a) < D(0.5) * before);
      if (bits<Arch>(is_slow & live) != 0) narrow(a + (b - a) / D(2.0), is_slow, true);
    }
  }
};

/// model::truncated_mean of `count` delays of sum `total` observed by round t.
template <class Arch>
inline Doubles<Arch> likeliest_mean(const Doubles<Arch>& count, const Doubles<Arch>& total, const Doubles<Arch>& t) {
  using D = Doubles<Arch>;
  const D observed = total / count;
  const auto is_none = observed == D(0.0);
  const D from = xsimd::select(is_none, D(1.0), observed);
  Bracket<Arch> bracket;
  bracket.t = t, bracket.observed = observed;
  bracket.a = from, bracket.fa = mean_of_observed_delays<Arch>(from, t) - observed;
  bracket.b = t, bracket.fb = mean_of_observed_delays<Arch>(t, t) - observed;
  const auto is_longest = !(bracket.fb > D(0.0)), is_observed = !(bracket.fa < D(0.0));
  bracket.live = !(is_none | is_longest | is_observed);
  bracket.solve();
  const D middle = (bracket.a + xsimd::select(bracket.fa == D(0.0), bracket.a, bracket.b)) / D(2.0);
  return xsimd::select(is_none, D(0.0), xsimd::select(is_longest, t, xsimd::select(is_observed, observed, middle)));
}

}  // namespace dbandit::kernel
