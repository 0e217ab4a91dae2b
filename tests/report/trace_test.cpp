#include "report/trace.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "core/text.hpp"
#include "reference/simulate.hpp"

namespace dbandit::report {
namespace {

sim::Spec small_spec() {
  sim::Settings settings;
  settings.theta = {0.9, 0.4};
  settings.delay = model::Geometric{3};
  settings.censor = 6;
  settings.horizon = 200;
  settings.policies = {"d-ucb", "discard-klucb"};
  settings.at = {200};
  return sim::Spec(settings);
}

/// The rounds add up: what a round says of the next is what the next begins with, and the arms are those of the simulation.
TEST(Trace, IsThePathThatTheReferencePlays) {
  const sim::Spec spec = small_spec();
  const model::Experiment experiment = sim::experiment(spec, spec->policies.front());
  model::Paths paths;
  paths.traced = true;
  reference::simulate(experiment, {.first = 3, .count = 1}, model::Exposure::buffer, paths);
  std::vector<std::int64_t> pulls(2), conversions(2);
  std::int64_t converted = 0, shown = 0, rounds = 0;
  reference::trace(experiment, 3, model::Exposure::buffer, 200, [&](const reference::Step& step) {
    EXPECT_EQ(step.round, ++rounds);
    EXPECT_EQ(step.arm, paths.actions[static_cast<std::size_t>(step.round - 1) * paths.lanes]);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(step.known[k].pulls, static_cast<double>(pulls[k]));
      EXPECT_EQ(step.known[k].conversions, static_cast<double>(conversions[k]));
      conversions[k] += step.disclosed[k];
      shown += step.disclosed[k];
    }
    const bool is_chosen_by_index = step.round > 2 && step.tied == 1;
    EXPECT_TRUE(!is_chosen_by_index || step.indices[step.arm] >= step.indices[1 - step.arm]);
    ++pulls[step.arm];
    converted += step.outcome.converts && step.outcome.delay <= 6 && step.round + step.outcome.delay <= 200;
  });
  EXPECT_EQ(rounds, 200);
  EXPECT_EQ(shown, converted);
  EXPECT_GT(shown, 0);
}

TEST(Trace, HasARowForEveryRoundAndArm) {
  const std::string csv = trace_csv(small_spec(), {.replica = 1, .first = 10, .last = 19});
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const auto fields = split(line, ',').size();
  std::size_t rows = 0;
  for (; std::getline(lines, line); ++rows) EXPECT_EQ(split(line, ',').size(), fields) << line;
  EXPECT_EQ(rows, 2u * 10u * 2u);
}

TEST(Trace, ShowsTheRoundsThatAreAskedForOfEveryPolicy) {
  const std::string table = trace_table(small_spec(), {.replica = 0, .first = 5, .last = 6}, {});
  EXPECT_EQ(table.rfind("d-ucb, replica 0\n", 0), 0u);
  EXPECT_NE(table.find("\ndiscard-klucb, replica 0\n"), std::string::npos);
  EXPECT_NE(table.find("\n    5 "), std::string::npos) << table;
  EXPECT_EQ(table.find("\n    4 "), std::string::npos) << table;
  EXPECT_EQ(table.find("\n    7 "), std::string::npos) << table;
}

}  // namespace
}  // namespace dbandit::report
