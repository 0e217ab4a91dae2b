#include "sim/policy_settings.hpp"

#include <gtest/gtest.h>

#include "core/split_list.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/draft.hpp"
#include "dbandit/sim/run.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "sim/small_problem.hpp"

namespace dbandit::sim {
namespace {

std::string complaint(std::string_view text) {
  try {
    (void)Policy(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return {};
}

TEST(SplitList, LeavesCommasInParenthesesAlone) {
  EXPECT_EQ(split_list("a,b(c=1,d=2),e"), (std::vector<std::string_view>{"a", "b(c=1,d=2)", "e"}));
  EXPECT_EQ(split_list(""), std::vector<std::string_view>{""});
  EXPECT_EQ(split_list("a),b"), (std::vector<std::string_view>{"a)", "b"}));
}

TEST(PolicySettings, AreTheIdentityOfThePolicyInOneForm) {
  EXPECT_EQ(Policy("d-ts( prior-rate = 2.0 ,prior-shape=1e1)").id, "d-ts(prior-shape=10,prior-rate=2)");
  EXPECT_EQ(Policy("d-ts(prior-shape=10,prior-rate=2)"), Policy("d-ts(prior-rate=2,prior-shape=10)"));
  EXPECT_NE(Policy("d-klucb(epsilon=0.2)"), Policy("d-klucb"));
  EXPECT_EQ(Policy("d-klucb(epsilon=0.2)").text(), "d-klucb(epsilon=0.2)");
}

TEST(PolicySettings, ThatAPolicyDoesNotHaveAreRefusedWithThoseThatItHas) {
  EXPECT_EQ(complaint("d-klucb(gamma=1)"), "'d-klucb' has no setting 'gamma'; it has: epsilon clamp ties start");
  EXPECT_EQ(complaint("patient-ucb(aplha=1)"),
            "'patient-ucb' has no setting 'aplha'; did you mean 'alpha'?; it has: epsilon ties start alpha");
  EXPECT_EQ(complaint("d-klucb(epsilon=-1)"), "'d-klucb': epsilon: '-1' is not a number from 0 to 100000");
  EXPECT_EQ(complaint("d-klucb(clamp=two)"), "'d-klucb': clamp: 'two' is not one of: one none");
  EXPECT_EQ(complaint("d-klucb(epsilon)"), "'epsilon' of 'd-klucb' is not NAME=VALUE");
  EXPECT_EQ(complaint("d-klucb(epsilon=1,epsilon=2)"), "'d-klucb': epsilon is given twice");
  EXPECT_EQ(complaint("d-klucb(epsilon=1"), "'d-klucb(epsilon=1' does not end with the ) of its settings");
  EXPECT_NE(complaint("d-klucb()"), "");
  EXPECT_NE(complaint("d-klucbb(epsilon=1)").find("did you mean"), std::string::npos);
}

// Every row can be said of every policy that has it, and the plain value changes nothing.
TEST(PolicySettings, OfTheTableAreReadAndApplied) {
  for (const policy::Entry& entry : policy::catalogue()) {
    for (const PolicySetting& setting : policy_settings()) {
      if (!setting.is_of(entry)) continue;
      const Policy policy(std::string(entry.id) + "(" + std::string(setting.name) + "=" + plain_value(setting) + ")");
      ASSERT_EQ(policy.settings.size(), 1u);
      model::Rule rule;
      apply_settings(policy.settings, rule);
      EXPECT_EQ(rule.epsilon, model::Rule{}.epsilon);
      EXPECT_EQ(rule.alpha, model::Rule{}.alpha);
    }
  }
}

SpecDraft with(std::string_view policies) {
  SpecDraft draft;
  for (const auto& [key, value] : {std::pair{"theta", "0.3,0.2,0.1"}, std::pair{"delay", "geometric:5"}, std::pair{"censor", "20"},
                                   std::pair{"horizon", "300"}, std::pair{"replicas", "40"}})
    assign(draft, key, value);
  assign(draft, "policies", policies);
  return draft;
}

TEST(PolicySettings, GoBeforeThoseOfTheRunAndTravelThroughAFile) {
  SpecDraft draft = with("d-klucb,d-klucb(epsilon=0.2),d-ts(prior-shape=10,prior-rate=2)");
  assign(draft, "epsilon", "0.5");
  const Spec spec(draft);
  EXPECT_EQ(rule(spec, spec->policies[0]).epsilon, 0.5);
  EXPECT_EQ(rule(spec, spec->policies[1]).epsilon, 0.2);
  EXPECT_EQ(rule(spec, spec->policies[2]).prior_shape, 10);
  EXPECT_EQ(Spec(read_spec_text(spec_text(spec), "spec.toml")), spec);
  EXPECT_EQ(key_flag(*spec, "policies"), "d-klucb,d-klucb(epsilon=0.2),d-ts(prior-shape=10,prior-rate=2)");
}

// One paired run: the same worlds, so a policy with the run's own value is the policy without.
TEST(PolicySettings, PlayAsARunWithThatSettingForAll) {
  const Result both = run(Spec(with("d-klucb,d-klucb(epsilon=0.2),d-klucb(epsilon=0)")), {});
  SpecDraft draft = with("d-klucb");
  assign(draft, "epsilon", "0.2");
  const Result alone = run(Spec(draft), {});
  const auto mean = [](const Result& result, std::size_t p) { return result.stats.policies[p].regret.back().mean; };
  EXPECT_EQ(mean(both, 1), mean(alone, 0));
  EXPECT_EQ(mean(both, 2), mean(both, 0));
  EXPECT_NE(mean(both, 1), mean(both, 0));
}

TEST(PolicySettings, ThatDoNotGoWithTheRunAreRefused) {
  EXPECT_THROW(Spec(with("discard-ts(prior-rate=0.01)")), UserError);
  SpecDraft draft = with("discard-ucb(radius=paper)");
  EXPECT_NO_THROW(Spec{draft});
  assign(draft, "delay", "geometric:5,geometric:6,geometric:7");
  EXPECT_THROW(Spec{draft}, UserError);
  SpecDraft leaps = with("patient-ucb(alpha=0.3)");
  assign(leaps, "engine", "leap");
  EXPECT_THROW(Spec{leaps}, UserError);
}

}  // namespace
}  // namespace dbandit::sim
