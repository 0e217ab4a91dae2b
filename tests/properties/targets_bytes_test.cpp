#include <gtest/gtest.h>

#include <cstring>

#include "kernel/targets.hpp"
#include "reference/worlds.hpp"

/// What must not change a byte of a path: the instruction set, and how the replicas are cut into blocks.
namespace dbandit::testing {
namespace {

template <class Rows>
bool same(const Rows& a, const Rows& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

void expect_same_bytes(const model::Paths& a, const model::Paths& b, const std::string& what) {
  EXPECT_TRUE(same(a.actions, b.actions)) << what;
  EXPECT_TRUE(same(a.regret, b.regret)) << what;
  EXPECT_TRUE(same(a.pseudo_regret, b.pseudo_regret)) << what;
  EXPECT_TRUE(same(a.realised_regret, b.realised_regret)) << what;
  EXPECT_TRUE(same(a.pulls, b.pulls)) << what;
}

/// The replicas that both blocks have.
void expect_same_lanes(const model::Paths& whole, const model::Block& of, const model::Paths& part, const model::Block& block) {
  const std::size_t offset = block.first - of.first;
  const auto same_rows = [&](const auto& a, const auto& b) {
    for (std::size_t row = 0; row < a.size() / whole.lanes; ++row) {
      if (std::memcmp(&a[row * whole.lanes + offset], &b[row * part.lanes], block.count * sizeof(a[0])) != 0) return false;
    }
    return true;
  };
  EXPECT_TRUE(same_rows(whole.actions, part.actions)) << block.first << " + " << block.count;
  EXPECT_TRUE(same_rows(whole.regret, part.regret)) << block.first << " + " << block.count;
  EXPECT_TRUE(same_rows(whole.pseudo_regret, part.pseudo_regret)) << block.first << " + " << block.count;
  EXPECT_TRUE(same_rows(whole.realised_regret, part.realised_regret)) << block.first << " + " << block.count;
  EXPECT_TRUE(same_rows(whole.pulls, part.pulls)) << block.first << " + " << block.count;
}

class Bytes : public ::testing::TestWithParam<policy::Entry> {};
INSTANTIATE_TEST_SUITE_P(Catalogue, Bytes, EachPolicy(), kPolicyName);

model::Experiment paper(const policy::Entry& entry, std::int64_t horizon) {
  model::Experiment e = experiment(entry, {{0.1, 0.05, 0.03}, model::Geometric{500}}, 1000, horizon, 12);
  e.at = {1, 10, 100, horizon / 2, horizon};
  return e;
}

TEST_P(Bytes, AreTheSameOnEveryTargetAtThePapersParameters) {
  model::Experiment e = paper(GetParam(), 3000);
  for (const double gamma : {1.0, 0.7}) {
    if (gamma != 1 && e.rule.statistic != model::Statistic::agnostic_mean) continue;
    e.rule.gamma = gamma;
    for (const model::Exposure exposure : kExposures) {
      for (const model::Solver solver : kSolvers) {
        if (solver != model::Solver::direct && (e.rule.index == model::IndexForm::ucb || exposure == model::Exposure::buffer)) continue;
        const bool cheap = solver == model::Solver::direct && exposure == model::Exposure::recursion;
        const model::Block block{.first = 40, .count = cheap && e.rule.statistic != model::Statistic::agnostic_window ? 136u : 8u};
        const model::Paths expected = simulate(kernel::targets().back(), e, block, exposure, solver);
        for (const kernel::Target& target : supported_targets()) {
          expect_same_bytes(simulate(target, e, block, exposure, solver), expected, std::string(target.name));
        }
      }
    }
  }
}

// 200 replicas are more than one part of a block; 8 are the least that is simulated together; 1, 7 and 9 leave lanes idle.
TEST_P(Bytes, AreTheSameHoweverTheReplicasAreCutIntoBlocks) {
  model::Experiment e = paper(GetParam(), 400);
  e.problem.delay = model::Geometric{30};
  if (e.window) e.window = 60;
  for (const model::Exposure exposure : kExposures) {
    const model::Block all{.first = 64, .count = 200};
    const model::Paths whole = simulate(kernel::best_target(), e, all, exposure);
    for (std::uint64_t first = all.first; first < all.first + all.count; first += 8) {
      const model::Block eight{.first = first, .count = 8};
      expect_same_lanes(whole, all, simulate(kernel::best_target(), e, eight, exposure), eight);
    }
    for (const kernel::Target& target : supported_targets()) {
      for (const std::size_t count : {1u, 7u, 9u, 31u, 33u, 129u}) {
        const model::Block part{.first = 72, .count = count};
        expect_same_lanes(whole, all, simulate(target, e, part, exposure), part);
      }
    }
  }
}

TEST_P(Bytes, AreTheSameWhetherActionsAreTracedOrNot) {
  const model::Experiment e = paper(GetParam(), 300);
  const model::Block block{.first = 0, .count = 16};
  const model::Paths traced = simulate(kernel::best_target(), e, block);
  model::Paths plain = simulate(kernel::best_target(), e, block, model::Exposure::recursion, model::Solver::direct, false);
  EXPECT_TRUE(plain.actions.empty());
  plain.actions = traced.actions;
  expect_same_bytes(plain, traced, "untraced");
}

// A thread keeps its workspace: what it simulated before must leave no trace.
TEST_P(Bytes, DoNotDependOnWhatWasSimulatedBefore) {
  const model::Experiment e = paper(GetParam(), 300);
  const model::Block block{.first = 0, .count = 16};
  const model::Paths first = simulate(kernel::best_target(), e, block);
  for (const policy::Entry& other : policy::catalogue()) {
    model::Experiment before = experiment(other, {{0.9, 0.8, 0.7, 0.6, 0.5}, model::Geometric{40}}, 200, 260, 99);
    before.rule.epsilon = 2;
    simulate(kernel::best_target(), before, {.first = 8, .count = 30}, model::Exposure::buffer);
    expect_same_bytes(simulate(kernel::best_target(), e, block), first, "after " + std::string(other.id));
  }
}

// The comparisons above can fail.
TEST(Bytes, OfOtherReplicasOrAnotherSeedDiffer) {
  model::Experiment e = paper(*policy::find("d-klucb"), 300);
  const model::Paths paths = simulate(kernel::best_target(), e, {.first = 0, .count = 8});
  EXPECT_FALSE(same(paths.actions, simulate(kernel::best_target(), e, {.first = 8, .count = 8}).actions));
  e.seed += 1;
  EXPECT_FALSE(same(paths.actions, simulate(kernel::best_target(), e, {.first = 0, .count = 8}).actions));
}

}  // namespace
}  // namespace dbandit::testing
