#include "dbandit/stats/moments.hpp"

#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>

namespace dbandit::stats {

namespace {

/// Σ value(i), i < size: partial sum j takes i ≡ j (mod 8), and the eight are added as a balanced tree. The order is part of
/// the results: a compiler may put the partial sums in vectors of any width, and none is free to change it.
template <class Value>
double interleaved_sum(std::size_t size, Value value) {
  constexpr std::size_t ways = 8;
  std::array<double, ways> partial{};
  const std::size_t whole = size - size % ways;
  for (std::size_t i = 0; i < whole; i += ways) {
    for (std::size_t j = 0; j < ways; ++j) partial[j] += value(i + j);
  }
  for (std::size_t i = whole; i < size; ++i) partial[i - whole] += value(i);
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) + ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

/// Mean first, then centred squares: a single pass would lose the variance of a row far from zero.
template <class Value>
Moments two_pass(std::size_t size, Value value) {
  if (size == 0) return {};
  const double count = static_cast<double>(size);
  const double mean = interleaved_sum(size, value) / count;
  const double m2 = interleaved_sum(size, [&](std::size_t i) {
    const double centred = value(i) - mean;
    return centred * centred;
  });
  return {count, mean, m2};
}

/// Quantile 1 − alpha/2 of Student's law. One run asks for the same at every record of every policy, so the last answer is
/// kept; per thread, hence without a lock.
double student_quantile(double degrees, double alpha) {
  thread_local double last_degrees = 0, last_alpha = 0;
  thread_local double last_quantile = 0;
  if (degrees != last_degrees || alpha != last_alpha) {
    last_quantile = boost::math::quantile(boost::math::students_t(degrees), 1 - alpha / 2);
    last_degrees = degrees;
    last_alpha = alpha;
  }
  return last_quantile;
}

}  // namespace

void Moments::merge(const Moments& other) {
  if (count == 0) {
    *this = other;
    return;
  }
  const double total = count + other.count;
  const double shift = other.mean - mean;
  mean += shift * (other.count / total);
  m2 += other.m2 + shift * shift * (count * (other.count / total));
  count = total;
}

double Moments::variance() const { return count < 2 ? 0 : m2 / (count - 1); }

double Moments::standard_error() const { return count < 2 ? 0 : std::sqrt(variance() / count); }

Moments moments(std::span<const double> row) {
  return two_pass(row.size(), [row](std::size_t i) { return row[i]; });
}

Moments moments_of_difference(std::span<const double> a, std::span<const double> b) {
  assert(a.size() == b.size());
  return two_pass(a.size(), [a, b](std::size_t i) { return a[i] - b[i]; });
}

double half_width(const Moments& moments, double alpha) {
  if (moments.count < 2) return std::numeric_limits<double>::infinity();
  return student_quantile(moments.count - 1, alpha) * moments.standard_error();
}

}  // namespace dbandit::stats
