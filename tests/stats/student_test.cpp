#include "stats/student.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace dbandit::stats {
namespace {

struct Known {
  double degrees, tail, quantile;
};
constexpr Known kKnown[] = {
#include "stats/student_reference.inc"
};

TEST(StudentQuantile, IsTheNearestDoubleAtTheKnownPoints) {
  for (const Known& known : kKnown)
    EXPECT_EQ(student_quantile(known.degrees, known.tail), known.quantile) << known.degrees << ' ' << known.tail;
}

// t of one degree is a tangent, of two degrees a root: tail = ½ − t / (2 sqrt(2 + t²)).
TEST(StudentQuantile, IsTheClosedFormWhereThereIsOne) {
  for (const double tail : {0.4, 0.1, 1e-3, 1e-9}) {
    EXPECT_NEAR(student_quantile(1, tail) * std::tan(3.14159265358979323846 * tail), 1, 1e-15) << tail;
    const double u = 1 - 2 * tail;
    EXPECT_NEAR(student_quantile(2, tail) / (u * std::sqrt(2 / (4 * tail * (1 - tail)))), 1, 1e-15) << tail;
  }
}

TEST(StudentTail, IsTheInverseOfTheQuantile) {
  for (const double degrees : {1.0, 7.0, 31.0, 367.0, 10'000.0}) {
    EXPECT_EQ(student_tail(degrees, 0), 0.5);
    for (const double tail : {0.4, 0.025, 1e-4, 1e-12}) {
      EXPECT_NEAR(student_tail(degrees, student_quantile(degrees, tail)) / tail, 1, 1e-12) << degrees << ' ' << tail;
    }
    EXPECT_GE(student_tail(degrees, 1e6), 0);
    EXPECT_LT(student_tail(degrees, 1e6), 1e-6) << degrees;
  }
}

TEST(StudentQuantile, FallsToTheNormalOneAsTheDegreesGrow) {
  double last = student_quantile(1, 0.025);
  for (double degrees = 2; degrees < 1e12; degrees *= 3) {
    const double next = student_quantile(degrees, 0.025);
    EXPECT_LT(next, last) << degrees;
    last = next;
  }
  EXPECT_NEAR(student_quantile(1e12, 0.025), 1.959963984540054, 1e-11);
  EXPECT_EQ(student_quantile(5, 0.5), 0);
}

}  // namespace
}  // namespace dbandit::stats
