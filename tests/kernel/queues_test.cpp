#include <gtest/gtest.h>

#include "dbandit/policy/catalogue.hpp"
#include "kernel/targets.hpp"
#include "reference/worlds.hpp"

/// Bases behind queues: the replicas of a block are asked together, and each plays as the reference.
namespace dbandit::testing {
namespace {

void expect_the_references(const model::Experiment& e, const char* id) {
  const model::Block block{.first = 0, .count = 12};
  model::Paths expected;
  expected.traced = true;
  reference::simulate(e, block, model::Exposure::buffer, expected);
  for (const kernel::Target& target : supported_targets()) {
    EXPECT_EQ(simulate(target, e, block).actions, expected.actions) << target.name << ' ' << id;
  }
}

// Few arms and many; queues longer than a word; all items ones, none of them, and both; ties of both kinds; a base that is asked at once by
// all replicas and by one.
TEST(QueuedDecisions, AreTheReferences) {
  for (const char* id : {"qpmd-ucb", "qpmd-klucb", "qpmd-ucb-naive", "qpmd-klucb-naive", "sdb"}) {
    for (const auto& theta : {std::vector{0.3, 0.25, 0.2}, std::vector{1.0, 0.0}, std::vector<double>(6, 0.5)}) {
      for (const std::int64_t window : {3, 70}) {
        model::Experiment e = experiment(*policy::find(id), {theta, model::Geometric{window / 2.0}}, window, 450, 8);
        expect_the_references(e, id);
        if (theta.size() != 3) continue;
        e.rule.clamp = model::Clamp::none;
        e.rule.ties = model::Ties::lowest;
        e.rule.epsilon = 5;
        expect_the_references(e, id);
      }
    }
  }
}

// A wish that is certain for longer than what waits of it may: thousands of rounds on one arm, whose items are all ones, or mostly.
TEST(QueuedDecisions, AreTheReferencesWhereAQueueIsFedLate) {
  for (const char* id : {"qpmd-ucb", "qpmd-klucb", "sdb"}) {
    for (const auto& theta : {std::vector{1.0, 0.0}, std::vector{0.97, 0.1, 0.0}}) {
      expect_the_references(experiment(*policy::find(id), {theta, model::Geometric{1}}, 3, 4'000, 8), id);
    }
  }
}

}  // namespace
}  // namespace dbandit::testing
