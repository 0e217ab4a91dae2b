#pragma once

/// Logarithm and exponential of doubles from + − × ÷ and the bits of a double alone: the same bytes on every processor, where those of a C
/// library differ by a unit of the last place from one to the next. Within kElementaryUlps of the exact value; what needs more digits
/// uses DoubleDouble.
namespace dbandit {

inline constexpr double kElementaryUlps = 3;

/// ln x of a positive normal number.
double log_of(double x);
/// ln(1 + x) without cancellation, x > −1.
double log1p_of(double x);
/// e^x, |x| ≤ 600; beyond, that of ±600.
double exp_of(double x);
/// The same, and e^x − 1 without cancellation.
struct Exponential {
  double value, less_one;
};
Exponential exponential(double x);

}  // namespace dbandit
