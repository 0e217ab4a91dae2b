#pragma once

#include <cstdint>

/// Numbers of twice a double's digits, as the unevaluated sum of two doubles (Dekker 1971; Knuth's two-sum), and the functions that the
/// delay laws need. Only + − × ÷ and the bits of a double are used, each rounded as IEEE 754 says, so every processor gives the same
/// bytes: x87's 80 bits exist on one architecture alone, and the last bit of a C library's function on one library alone.
namespace dbandit {

struct DoubleDouble {
  double high = 0, low = 0;  ///< |low| ≤ half a unit in the last place of high

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : high(value) {}  // NOLINT: every double is one
  constexpr DoubleDouble(double h, double l) : high(h), low(l) {}
  /// All 64 bits are kept.
  static constexpr DoubleDouble of(std::int64_t whole) {
    const auto upper = static_cast<double>(whole / 2048 * 2048);  // NOLINT(bugprone-integer-division): its upper bits
    return sum(upper, static_cast<double>(whole % 2048));
  }
  /// Rounded to the nearest double.
  explicit constexpr operator double() const { return high; }

  /// a + b without an error.
  static constexpr DoubleDouble sum(double a, double b) {
    const double s = a + b, part = s - a;
    return {s, (a - (s - part)) + (b - part)};
  }
  /// The same for |a| ≥ |b|.
  static constexpr DoubleDouble ordered_sum(double a, double b) {
    const double s = a + b;
    return {s, b - (s - a)};
  }
  /// a b without an error, unless it over- or underflows.
  static constexpr DoubleDouble product(double a, double b) {
    constexpr double kSplit = 134217729;  // 2^27 + 1
    const auto halves = [](double x) {
      const double t = kSplit * x, h = t - (t - x);
      return DoubleDouble{h, x - h};
    };
    const double p = a * b;
    const DoubleDouble x = halves(a), y = halves(b);
    return {p, ((x.high * y.high - p) + x.high * y.low + x.low * y.high) + x.low * y.low};
  }

  friend constexpr DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }
  friend constexpr DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    DoubleDouble s = sum(a.high, b.high);
    const DoubleDouble t = sum(a.low, b.low);
    s = ordered_sum(s.high, s.low + t.high);
    return ordered_sum(s.high, s.low + t.low);
  }
  friend constexpr DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }
  friend constexpr DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble p = product(a.high, b.high);
    return ordered_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
  }
  friend constexpr DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double first = a.high / b.high;
    DoubleDouble rest = a - b * first;
    const double second = rest.high / b.high;
    rest = rest - b * second;
    return ordered_sum(first, second) + rest.high / b.high;
  }
  constexpr DoubleDouble& operator+=(const DoubleDouble& other) { return *this = *this + other; }
  constexpr DoubleDouble& operator-=(const DoubleDouble& other) { return *this = *this - other; }
  constexpr DoubleDouble& operator*=(const DoubleDouble& other) { return *this = *this * other; }

  friend constexpr bool operator<(const DoubleDouble& a, const DoubleDouble& b) {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
  friend constexpr bool operator>(const DoubleDouble& a, const DoubleDouble& b) { return b < a; }
  friend constexpr bool operator==(const DoubleDouble& a, const DoubleDouble& b) { return a.high == b.high && a.low == b.low; }
};

/// Relative error below 1e-20 each, a ten-thousandth of a double's last digit, where no part of the result is subnormal, which begins at
/// e^−620; e^x is 0 below −745, and not meant above 700.
DoubleDouble exp(const DoubleDouble& x);
/// e^x − 1 without cancellation.
DoubleDouble expm1(const DoubleDouble& x);
/// x > 0; −∞ for 0.
DoubleDouble log(const DoubleDouble& x);
/// ln(1 + x) without cancellation, x > −1.
DoubleDouble log1p(const DoubleDouble& x);
/// x^y, x ≥ 0.
DoubleDouble pow(const DoubleDouble& x, const DoubleDouble& y);
/// 2/√π ∫_x^∞ e^(−u²) du.
DoubleDouble erfc(const DoubleDouble& x);
/// x ≥ 0.
DoubleDouble sqrt(const DoubleDouble& x);
constexpr DoubleDouble abs(const DoubleDouble& x) { return x.high < 0 ? -x : x; }
/// The largest whole number that is not above; |x| < 2^62.
std::int64_t floor(const DoubleDouble& x);

}  // namespace dbandit
