#pragma once

namespace dbandit::stats {

/// t with P(T > t) = tail for Student's law of so many degrees of freedom, 1 to 10^12; 1e-15 ≤ tail ≤ ½. Rounded to the nearest double but
/// where the exact value is nearly half-way between two: the same on every processor.
double student_quantile(double degrees, double tail);

/// P(T > t) for Student's law of so many degrees of freedom, t ≥ 0.
double student_tail(double degrees, double t);

}  // namespace dbandit::stats
