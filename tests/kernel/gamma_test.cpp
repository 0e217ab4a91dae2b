#include "rng/gamma.hpp"

#include "dbandit/core/aligned.hpp"
#include "kernel/targets.hpp"

namespace dbandit::testing {
namespace {

class Gammas : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(EveryTarget, Gammas, EachTarget(), kTargetName);

// Nine in ten are accepted at the first attempt; of those every bit is the scalar's.
TEST_P(Gammas, AreTheScalarOnesToTheBit) {
  const std::size_t count = 4096;
  AlignedVector<double> shapes(count), drawn(count);
  const auto certain = std::make_unique<bool[]>(count);
  std::size_t accepted = 0;
  for (const std::uint64_t arm : {0, 1, 77}) {
    for (std::size_t i = 0; i < count; ++i) shapes[i] = i % 7 == 0 ? 0.5 : 1 + static_cast<double>(i % 97) * 1.25;
    GetParam().draw_gamma(5, 800, 1234, arm, shapes.data(), drawn.data(), certain.get(), count);
    for (std::size_t i = 0; i < count; ++i) {
      if (!certain[i]) continue;
      ++accepted;
      ASSERT_EQ(drawn[i], rng::gamma_at(5, 800 + i, 1234, arm, shapes[i])) << "shape " << shapes[i] << " lane " << i;
      ASSERT_GE(shapes[i], 1);  // smaller ones need another uniform
    }
  }
  const double share = static_cast<double>(accepted) / (3.0 * static_cast<double>(count) * 6 / 7);
  EXPECT_GT(share, 0.88);
  EXPECT_LT(share, 0.93);
}

}  // namespace
}  // namespace dbandit::testing
