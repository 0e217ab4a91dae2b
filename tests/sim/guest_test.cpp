#include "dbandit/sim/guest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "dbandit/core/error.hpp"
#include "dbandit/kernel/target.hpp"
#include "dbandit/reference/index.hpp"
#include "dbandit/sim/names.hpp"
#include "dbandit/sim/spec_file.hpp"

namespace dbandit::sim {
namespace {

/// The index of a policy of the paper, written as a guest would.
Choose as_guest(const model::Rule& rule) {
  return [rule](const Books& books, std::span<double> indices) {
    const double beta = reference::exploration(rule.epsilon, books.round);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      indices[i] = reference::index(rule, {books.conversions[i], books.exposure[i], books.pulls[i]}, beta);
    }
  };
}

Settings problem(std::vector<double> theta, double mean, model::Window censor, std::int64_t horizon) {
  Settings spec;
  spec.theta = std::move(theta);
  spec.delay = model::Geometric{mean};
  spec.censor = censor;
  spec.horizon = horizon;
  spec.replicas = 300;
  spec.policies = {"uniform"};
  return spec;
}

const std::vector<Settings> kProblems{
    problem({0.1, 0.05, 0.03}, 20, 40, 400),
    problem({0.5, 0.4, 0.3, 0.5}, 5, 1, 300),
    problem({0.3, 0.3}, 0, 10, 200),
    problem({0.9, 0.2}, 50, 1000, 150),  // no pull ever matures
    problem({0.7}, 3, 5, 50),
};

class GuestExposure : public testing::TestWithParam<model::Exposure> {};

TEST_P(GuestExposure, APolicyOfThePaperWrittenAsAGuestPlaysTheTrajectoriesOfTheEngine) {
  for (const Settings& spec : kProblems) {
    for (const std::string id : {"d-ucb", "d-klucb", "ud-ucb", "ud-klucb"}) {
      const model::Experiment e = experiment(spec, id);
      const model::Block block{.first = 128, .count = 61};
      model::Paths expected, played;
      expected.traced = played.traced = true;
      kernel::best_target().simulate(e, block, model::Exposure::recursion, model::Solver::direct, expected, nullptr);
      simulate_guest(e, block, GetParam(), as_guest(e.rule), played);
      for (std::size_t lane = 0; lane < block.count; ++lane) {
        for (std::int64_t t = 0; t < spec.horizon; ++t) {
          const std::size_t cell = static_cast<std::size_t>(t) * played.lanes + lane;
          ASSERT_EQ(played.actions[cell], expected.actions[cell]) << id << " lane " << lane << " round " << t + 1;
        }
        for (std::size_t record = 0; record < e.at.size(); ++record) {
          const std::size_t cell = record * played.lanes + lane;
          ASSERT_NEAR(played.regret[cell], expected.regret[cell], 1e-9);
          ASSERT_NEAR(played.pseudo_regret[cell], expected.pseudo_regret[cell], 1e-9);
          ASSERT_EQ(played.realised_regret[cell], expected.realised_regret[cell]) << id;
        }
        for (std::size_t k = 0; k < spec.theta.size(); ++k) {
          ASSERT_EQ(played.pulls[k * played.lanes + lane], expected.pulls[k * played.lanes + lane]);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(RecursionAndBuffer, GuestExposure, testing::Values(model::Exposure::recursion, model::Exposure::buffer),
                         [](const auto& exposure) { return std::string(name_of(exposure.param)); });

TEST(Guests, AreFoldedBesideTheCataloguesPoliciesAndPairedWithThem) {
  Settings spec = problem({0.1, 0.05, 0.03}, 20, 40, 400);
  spec.policies = {"d-ucb", "uniform"};
  spec.replicas = 5000;  // more than a batch
  const Guest twin{"twin", as_guest(experiment(spec, "d-ucb").rule)};
  const Result alone = run(spec, {});
  spec.policies.emplace_back("guest:twin");
  const Result together = run_with_guests(spec, {&twin, 1}, {});

  EXPECT_EQ(together.spec.ids(), (std::vector<std::string>{"d-ucb", "uniform", "twin"}));
  EXPECT_EQ(together.spec->policies.back().text(), "guest:twin");
  EXPECT_TRUE(together.complete);
  for (std::size_t p = 0; p < 2; ++p) {
    EXPECT_EQ(together.stats.policies[p].regret.back().mean, alone.stats.policies[p].regret.back().mean) << "a guest changes nobody";
  }
  EXPECT_EQ(together.stats.policies[2].regret.back().count, 5000);
  const stats::Moments& difference = together.stats.paired[pair_index(0, 2, 3)];
  EXPECT_NEAR(difference.mean, 0, 1e-9);
  EXPECT_LT(difference.standard_error(), 1e-9) << "on every replica, not on average";
  EXPECT_GT(together.stats.paired[pair_index(1, 2, 3)].mean, 1);
}

TEST(Guests, MayPlayAloneWithNegativeOrInfiniteIndices) {
  Settings spec = problem({0.1, 0.9}, 2, 10, 50);
  spec.policies = {"guest:second"};
  for (const double last : {-1.0, std::numeric_limits<double>::infinity()}) {
    const Guest second{"second", [&](const Books& books, std::span<double> indices) {
                         for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i < books.lanes ? -2 : last;
                       }};
    const Result result = run_with_guests(spec, {&second, 1}, {});
    EXPECT_EQ(result.stats.policies[0].pulls[0].mean, 1) << "the start alone";
    EXPECT_EQ(result.stats.policies[0].pulls[1].mean, 49);
  }
}

TEST(Guests, TieAsEverybodyDoesSoThatEqualIndicesAreUniformPlay) {
  Settings spec = problem({0.1, 0.05, 0.03}, 20, 40, 200);
  spec.policies = {"uniform", "guest:constant"};
  const Guest constant{"constant", [](const Books&, std::span<double> indices) { std::ranges::fill(indices, 7.0); }};
  const Result result = run_with_guests(spec, {&constant, 1}, {});
  EXPECT_NEAR(result.stats.paired[0].mean, 0, 1e-9);
  EXPECT_LT(result.stats.paired[0].standard_error(), 1e-9);
}

/// The line that a guest is refused with.
std::string refusal(const std::function<void(Settings&)>& change, const std::vector<Guest>& guests) {
  Settings spec = problem({0.1, 0.05}, 2, 10, 50);
  try {
    change(spec);
    run_with_guests(spec, guests, {});
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Guests, NeedNamesOfTheirOwn) {
  const auto line = [](std::vector<Policy> (*policies)()) { return refusal([&](Settings& spec) { spec.policies = policies(); }, {}); };
  using Policies = std::vector<Policy>;
  EXPECT_EQ(line([] { return Policies{"guest:d-ucb"}; }), "'d-ucb' is a policy of the catalogue; allowed is another name");
  EXPECT_EQ(line([] { return Policies{"guest:a,b"}; }),
            "'a,b' is not the name of a guest; allowed are 1 to 64 letters, digits and _ . - < >");
  EXPECT_EQ(line([] { return Policies{"guest:mine@"}; }), "'guest:mine@' has no hash after the @");
  EXPECT_EQ(line([] { return Policies{"guest:mine@x/y"}; }), "'x/y' is not a hash; allowed are 1 to 64 letters and digits");
  EXPECT_EQ(line([] { return Policies{"guest:mine", "guest:mine@1"}; }), "--policies: 'mine' is given twice; allowed is each policy once");
}

TEST(Guests, RunWhereAFunctionOfTheirNameAndHashIsGiven) {
  const auto named = [](const char* text) { return [text](Settings& spec) { spec.policies.emplace_back(text); }; };
  const Guest mine{"mine", as_guest({})}, hashed{"mine", as_guest({}), "1a2b"};
  EXPECT_EQ(refusal(named("guest:mine"), {mine}), "");
  EXPECT_EQ(refusal(named("guest:mine@1a2b"), {hashed}), "");
  EXPECT_EQ(refusal(named("guest:mine"), {}), "--policies: no function is given for 'guest:mine'");
  EXPECT_EQ(refusal(named("guest:mine@1a2b"), {mine}), "--policies: the function that is given for 'guest:mine@1a2b' has the hash ''");
  Settings spec = problem({0.1, 0.05}, 2, 10, 50);
  spec.policies.emplace_back("guest:mine");
  EXPECT_THROW(run(spec, {}), UserError) << "run knows no functions";
}

TEST(Guests, AreStoredAndReadByNameAndHash) {
  Settings spec = problem({0.1, 0.05}, 2, 10, 50);
  spec.policies = {"d-ucb", "guest:mine", "guest:my_other@1a2b"};
  spec.until = Until("paired:d-ucb,mine:+-0.1");
  const std::string text = spec_text(spec);
  EXPECT_NE(text.find("policies = [\"d-ucb\", \"guest:mine\", \"guest:my_other@1a2b\"]\n"), std::string::npos) << text;
  const Spec read(read_spec_text(text, "spec.toml"));
  EXPECT_EQ(read, Spec(spec));
  EXPECT_EQ(read.ids(), (std::vector<std::string>{"d-ucb", "mine", "my_other"}));
  EXPECT_EQ(read->policies[2].hash, "1a2b");
  EXPECT_EQ(read.window(read->policies[1]), model::Window(10)) << "a guest's setting is the run's";
}

TEST(Guests, WhatTheyThrowReachesTheCaller) {
  Settings spec = problem({0.1, 0.05}, 2, 10, 50);
  spec.policies = {"guest:broken"};
  const Guest broken{"broken", [](const Books&, std::span<double>) { throw std::domain_error("why"); }};
  EXPECT_THROW(run_with_guests(spec, {&broken, 1}, {}), std::domain_error);
}

}  // namespace
}  // namespace dbandit::sim
