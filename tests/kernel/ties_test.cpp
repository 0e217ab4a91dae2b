#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dbandit/core/aligned.hpp"
#include "kernel/internals.hpp"
#include "kernel/small_worlds.hpp"

/// Decisions on a knife's edge. Two arms in a fixed order and one decision, in round 3, when Ñ = (τ_1, τ_0). ε is a free real: it is tuned
/// so that two indices differ relatively by about as much as we like, from far inside a tie to well outside the filter's margin. Here
/// nothing is excused: every replica must play the reference's arm.
namespace dbandit::testing {
namespace {

struct Edge {
  model::Experiment experiment;
  double beta;  ///< at which the two indices are equal

  /// β(3) = beta (1 + shift).
  model::Experiment shifted(double shift) const {
    model::Experiment e = experiment;
    e.rule.epsilon = beta * (1 + shift) / std::log(3.0) - 1;
    return e;
  }
};

model::Experiment two_arms(model::IndexForm index, model::Clamp clamp, double ratio) {
  model::Experiment e = experiment(*policy::find("ud-ucb"), {{0.5, 0.5}, model::Geometric{ratio / (1 - ratio)}}, {}, 3, 6);
  e.rule = {.index = index, .clamp = clamp, .start = model::StartOrder::fixed};
  return e;
}

/// (1 + √(β/2))/τ_1 = √(β/2)/τ_0: replicas that have seen a conversion of the first arm and none of the second.
Edge ucb_edge(double ratio) { return {two_arms(model::IndexForm::ucb, model::Clamp::one, ratio), 2 / (ratio * ratio)}; }

/// h(1, β)/τ_1 = h(0, β)/τ_0, i.e. g(β) = (1 + ρ) β: the same replicas.
Edge klucb_edge(double ratio) {
  double low = 1e-3, high = 1e3;  // g(β)/β falls
  for (int i = 0; i < 200; ++i) {
    const double beta = (low + high) / 2;
    AlignedVector<double> seen(kLaneGroup, 1.0), bounds(kLaneGroup);
    kernel::targets().back().poisson_bounds(model::Solver::newton, seen.data(), beta, bounds.data(), 1);
    (bounds[0] > (1 + ratio) * beta ? low : high) = beta;
  }
  return {two_arms(model::IndexForm::klucb, model::Clamp::none, ratio), low};
}

/// h(0, β)/τ_1 = 1, the cap: replicas without a conversion, whose second index is far above the cap. (The ε of this case is negative; it
/// is only a knob.)
Edge clamp_edge(double ratio) { return {two_arms(model::IndexForm::klucb, model::Clamp::one, ratio), 1 - ratio * ratio}; }

class KnifesEdge : public EveryTarget {};
INSTANTIATE_TEST_SUITE_P(Kernel, KnifesEdge, EachTarget(), kTargetName);

TEST_P(KnifesEdge, IsDecidedAsTheReferenceDecides) {
  const model::Block block{.first = 0, .count = 60};
  for (const auto& edge_at : {ucb_edge, klucb_edge, clamp_edge}) {
    for (const double ratio : {0.31, 0.5, 0.63, 0.77, 0.92}) {
      const Edge edge = edge_at(ratio);
      for (const double size : {0.0, 1e-14, 3e-13, 1e-11, 1e-10, 1e-9, 4e-9, 8e-9, 1.6e-8, 3e-8, 1e-7, 1e-6, 1e-3}) {
        for (const double shift : {size, -size}) {
          const model::Experiment e = edge.shifted(shift);
          model::Paths expected;
          expected.traced = true;
          reference::simulate(e, block, model::Exposure::history, expected);
          for (const model::Exposure exposure : kExposures) {
            for (const model::Solver solver : kSolvers) {
              ASSERT_EQ(simulate(GetParam(), e, block, exposure, solver).actions, expected.actions)
                  << description(GetParam(), exposure, solver) << " shift " << shift << "\n"
                  << description(e);
            }
          }
        }
      }
    }
  }
}

// On the edge itself a tie is a toss; a little off it is none, on either side. Without this the test above might be far from any edge.
TEST(KnifesEdge, SeparatesATossFromTheOneArmAndTheOther) {
  for (const auto& edge_at : {ucb_edge, klucb_edge, clamp_edge}) {
    for (const double ratio : {0.31, 0.5, 0.63, 0.77, 0.92}) {
      const auto pulls = [&](double shift) {
        const model::Paths paths = simulate(kernel::best_target(), edge_at(ratio).shifted(shift), {.first = 0, .count = 4096});
        std::vector<std::uint16_t> last(paths.actions.begin() + static_cast<std::ptrdiff_t>(2 * paths.lanes), paths.actions.end());
        return std::pair{last, std::count(last.begin(), last.end(), 1)};
      };
      const auto [at, seconds_at] = pulls(0);
      const auto [above, seconds_above] = pulls(1e-10);
      const auto [below, seconds_below] = pulls(-1e-10);
      // Of the replicas that are on the edge all play one arm above it and the other below; on it, some play each. The cap is an edge
      // from one side only: above it the tie is for good.
      const bool capped =
          edge_at(ratio).experiment.rule.clamp == model::Clamp::one && edge_at(ratio).experiment.rule.index == model::IndexForm::klucb;
      EXPECT_NE(below, at) << ratio;
      EXPECT_EQ(above == at, capped) << ratio;
      EXPECT_LT(std::min(seconds_above, seconds_below), seconds_at + (capped ? 1 : 0)) << ratio;
      EXPECT_GT(std::max(seconds_above, seconds_below), seconds_at - (capped ? 1 : 0)) << ratio;
    }
  }
}

/// Twenty arms of 64 replicas whose indices are what we like: clear of the clamp on either side, or nearer to it than the tangents can
/// tell. Pulls are reals here.
class Clamped {
 public:
  Clamped()
      : experiment_(experiment(*policy::find("oracle-klucb"), {std::vector<double>(20, 0.5), model::Geometric{1}}, 5, 1'000'000, 9)),
        state_(workspace_.prepare(experiment_, {.first = 0, .count = 64}, model::Exposure::recursion, model::Solver::direct)),
        bounds_(state_.books.cells()) {}

  /// `near`: one arm in so many is on the edge; `clamped`: one in so many of the others is clamped.
  void deal(std::uint64_t near, std::uint64_t clamped) {
    const kernel::Books& books = state_.books;
    kernel::Index& index = state_.policy.index;
    index.span.begin(0, books.horizon, kRound - 5);
    for (std::size_t cell = 0; cell < books.cells(); ++cell) books.conversions[cell] = static_cast<double>(random_() % 9);
    kernel::best_target().poisson_bounds(model::Solver::newton, books.conversions, kernel::exploration(0, kRound), bounds_.data(),
                                         bounds_.size());
    for (std::size_t cell = 0; cell < books.cells(); ++cell) {
      const double apart[] = {1e-10, -1e-10, 1e-9, -1e-9, 1e-8, -1e-8};
      const double factor = random_() % near == 0 ? 1 + apart[random_() % 6] : random_() % clamped == 0 ? 0.7 : 1.3;
      books.pulls[cell] = bounds_[cell] * factor;
    }
    kernel::tangents<kernel::Baseline>(index.span.beta, books.conversions, books.cells(), index.base, index.gain);
  }
  /// The arms played when so many cells tied a round ago; the second vector is left alone.
  std::vector<double> play(std::size_t tied) {
    const kernel::Books& books = state_.books;
    kernel::Policy& policy = state_.policy;
    std::fill_n(policy.index.certain_until, books.lanes, 0);
    policy.index.certain_until[1] = kRound;
    std::fill_n(books.action, books.lanes, 19.0);
    policy.ties.cells = tied;
    kernel::choose<kernel::Baseline>(policy, books, state_.exposure, kRound);
    settled += policy.ties.settled;
    kernel::settle<kernel::Baseline>(policy, books, state_.exposure, kRound);
    return {books.action, books.action + books.lanes};
  }
  [[nodiscard]] std::size_t cells() const { return state_.books.cells(); }

  std::size_t settled = 0;  ///< cells whose tie needed no search for the largest index

 private:
  static constexpr std::int64_t kRound = 30'000;
  model::Experiment experiment_;
  kernel::Workspace workspace_;
  kernel::State& state_;
  AlignedVector<double> bounds_;
  std::mt19937_64 random_{4};
};

TEST(ClampedTies, AreSettledInOnePassAsInTwo) {
  Clamped arms;
  for (const std::uint64_t near : {1'000'000u, 300u, 40u, 3u}) {
    for (const std::uint64_t clamped : {1u, 2u, 10u, 60u}) {
      for (int i = 0; i < 25; ++i) {
        arms.deal(near, clamped);
        const std::vector<double> two = arms.play(0);
        ASSERT_EQ(arms.settled, 0u);
        ASSERT_EQ(arms.play(arms.cells()), two) << near << ' ' << clamped;
        ASSERT_EQ(two[2], 19) << "a vector that needs no look";
        EXPECT_TRUE(arms.settled > arms.cells() / 4 || near < 1'000 || clamped > 2);
        arms.settled = 0;
      }
    }
  }
}

}  // namespace
}  // namespace dbandit::testing
