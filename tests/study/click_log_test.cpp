#include "study/click_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "reference/learner.hpp"

namespace dbandit {
namespace {

/// What a policy plays follows from what it was shown: the paper's learner, fed with nothing but the log, would have played the same.
TEST(ClickLog, ShowsThePolicyWhatItActedUpon) {
  sim::Settings settings;
  settings.theta = {0.5, 0.3, 0.2};
  settings.delay = model::Geometric{10};
  settings.censor = 30;
  settings.horizon = 400;
  settings.policies = {"d-klucb", "ud-ucb"};
  settings.replicas = 12;
  const sim::Spec spec(settings);
  for (const sim::Policy& policy : spec->policies) {
    const model::Experiment experiment = sim::experiment(spec, policy);
    std::vector<reference::Learner> learners(12, reference::Learner(experiment, model::Exposure::buffer));
    const std::vector<std::size_t> start{0, 1, 2};
    std::int64_t rows = 0, conversions = 0;
    study::for_each_click(spec, policy, 12, nullptr, [&](const study::Click& click) {
      ++rows;
      reference::Learner& learner = learners[click.replica];
      ASSERT_EQ(learner.round() + 1, click.start);
      if (click.start > 3) {
        const auto candidates = learner.candidates(start);
        ASSERT_NE(std::ranges::find(candidates, click.arm), candidates.end()) << policy.id << ", round " << click.start;
      }
      const bool converted = click.conversion > 0;
      conversions += converted ? 1 : 0;
      if (converted) {
        EXPECT_GE(click.conversion, click.start);
        EXPECT_LT(click.conversion, click.end);
      }
      EXPECT_EQ(click.end, 1 + (policy.id == "ud-ucb" ? 400 : std::min<std::int64_t>(400, click.start + 30)));
      learner.play(click.arm, converted, converted ? click.conversion - click.start : 0);
    });
    EXPECT_EQ(rows, 12 * 400);
    EXPECT_GT(conversions, 12 * 400 / 4);
  }
}

}  // namespace
}  // namespace dbandit
