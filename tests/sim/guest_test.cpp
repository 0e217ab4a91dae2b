#include "dbandit/sim/guest.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "dbandit/core/error.hpp"
#include "dbandit/kernel/target.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "reference/index.hpp"
#include "sim/names.hpp"

namespace dbandit::sim {
namespace {

/// The index of a policy of the paper, written as a guest would.
Choose as_guest(const model::Rule& rule) {
  return [rule](const GuestView& view, std::span<double> indices) {
    const double beta = reference::exploration(rule.epsilon, view.round);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      indices[i] = reference::index(rule, {view.conversions[i], view.exposure[i], view.pulls[i]}, beta);
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
      const Guest guest{"guest", as_guest(e.rule)};
      model::Experiment of_guest = e;
      of_guest.guest = &guest;
      kernel::best_target().simulate(of_guest, block, GetParam(), model::Solver::direct, played, nullptr);
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
  Settings spec = problem({0.9, 0.1}, 2, 10, 50);
  spec.policies = {"guest:loyal"};
  for (const double more : {-1.0, std::numeric_limits<double>::infinity()}) {
    const Guest loyal{"loyal",
                      [&](const GuestView& view, std::span<double> indices) {  // to the arm that it played, if it played one more often
                        for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = view.pulls[i] > 1 ? more : -2;
                      }};
    const Result result = run_with_guests(spec, {&loyal, 1}, {});
    EXPECT_EQ(result.stats.policies[0].pulls[0].mean + result.stats.policies[0].pulls[1].mean, 50);
    // Every replica plays one arm once, at the start, and the other 49 times: Var N = 24².
    EXPECT_NEAR(result.stats.policies[0].pulls[0].variance, 24 * 24, 24) << more;
  }
}

/// An ε-greedy that gives ties to the first arm, as an argmax does. It explores by its own means: every tenth round an arm in turn.
void first_of_the_largest(const GuestView& view, std::span<double> indices) {
  std::ranges::fill(indices, 0.0);
  for (std::size_t lane = 0; lane < view.lanes; ++lane) {
    std::size_t chosen = 0;
    const auto estimate = [&](std::size_t arm) {
      return view.conversions[arm * view.lanes + lane] / view.exposure[arm * view.lanes + lane];
    };
    for (std::size_t arm = 1; arm < view.arms; ++arm) chosen = estimate(arm) > estimate(chosen) ? arm : chosen;
    if (view.round % 10 == 0) chosen = static_cast<std::size_t>(view.round / 10) % view.arms;
    indices[chosen * view.lanes + lane] = 1;
  }
}

// Both ways at 5 standard errors of their difference, with a fixed seed. In the order of the problem it would lose four times as much with
// the best arm last.
TEST(Guests, ThatGiveTiesToTheFirstArmGainNothingFromTheOrderOfTheProblem) {
  std::vector<stats::Moments> regrets;
  for (const std::vector<double>& theta : {std::vector{0.1, 0.05, 0.03}, std::vector{0.03, 0.05, 0.1}}) {
    Settings spec = problem(theta, 500, 1000, 1000);
    spec.policies = {"guest:first"};
    spec.replicas = 2000;
    const Guest guest{"first", first_of_the_largest};
    regrets.push_back(run_with_guests(spec, {&guest, 1}, {}).stats.policies[0].regret.back());
  }
  EXPECT_LT(std::abs(regrets[0].mean - regrets[1].mean), 5 * std::hypot(regrets[0].standard_error(), regrets[1].standard_error()));
}

// Played from the view alone: an order that differs between replicas and is the same in every round, whoever is in the block.
TEST(Guests, SeeTheArmsInAnOrderByReplicaThatNoBatchChanges) {
  const Spec spec = problem({0.1, 0.05, 0.03}, 20, 40, 60);
  const Guest second_place{"second", [](const GuestView& view, std::span<double> indices) {
                             for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i / view.lanes == 1;
                           }};
  const model::Experiment e = guest_experiment(spec, second_place);
  const auto play = [&](const model::Block& block) {
    model::Paths paths;
    paths.traced = true;
    kernel::best_target().simulate(e, block, model::Exposure::recursion, model::Solver::direct, paths, nullptr);
    return paths;
  };
  const model::Paths whole = play({.first = 0, .count = 600});
  std::vector<int> second(3);
  for (std::size_t lane = 0; lane < 600; ++lane) {
    const std::uint16_t arm = whole.actions[3 * whole.lanes + lane];
    ++second[arm];
    for (std::size_t t = 3; t < 60; ++t) ASSERT_EQ(whole.actions[t * whole.lanes + lane], arm) << "replica " << lane;
  }
  for (const int count : second) EXPECT_NEAR(count, 200, 5 * std::sqrt(600 * 2.0 / 9));  // each arm as often, within 5 standard errors
  for (const model::Block& block : {model::Block{.first = 8, .count = 1}, model::Block{.first = 200, .count = 57}}) {
    const model::Paths part = play(block);
    for (std::size_t lane = 0; lane < block.count; ++lane) {
      ASSERT_EQ(part.actions[3 * part.lanes + lane], whole.actions[3 * whole.lanes + block.first + lane]);
    }
  }
}

TEST(Guests, TieAsEverybodyDoesSoThatEqualIndicesAreUniformPlay) {
  Settings spec = problem({0.1, 0.05, 0.03}, 20, 40, 200);
  spec.policies = {"uniform", "guest:constant"};
  const Guest constant{"constant", [](const GuestView&, std::span<double> indices) { std::ranges::fill(indices, 7.0); }};
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
  const std::string how = "; allowed is another name: 'f.__name__ = \"name\"' or an attribute 'name' in Python, Guest::name in C++";
  EXPECT_EQ(line([] { return Policies{"guest:d-ucb"}; }), "'d-ucb' is a policy of the catalogue" + how);
  EXPECT_EQ(line([] { return Policies{"guest:a,b"}; }),
            "'a,b' is not the name of a guest; allowed are 1 to 64 letters, digits and _ . - < >, then settings as in (gain=0.5,depth=3)");
  EXPECT_EQ(line([] { return Policies{"guest:mine@"}; }), "'guest:mine@' has no hash after the @");
  EXPECT_EQ(line([] { return Policies{"guest:mine@x/y"}; }), "'x/y' is not a hash; allowed are 1 to 64 letters and digits");
  EXPECT_EQ(line([] { return Policies{"guest:mine", "guest:mine@1"}; }), "--policies: 'mine' is the name of two policies" + how);
}

TEST(Guests, RunWhereAFunctionOfTheirNameAndHashIsGiven) {
  const auto named = [](const char* text) { return [text](Settings& spec) { spec.policies.emplace_back(text); }; };
  const Guest mine{"mine", as_guest({})}, hashed{"mine@1a2b", as_guest({})};
  const std::string why = " is a guest; allowed where a function of that name is given, from C++ or Python";
  EXPECT_EQ(refusal(named("guest:mine"), {mine}), "");
  EXPECT_EQ(refusal(named("guest:mine@1a2b"), {hashed}), "");
  EXPECT_EQ(refusal(named("guest:mine"), {}), "--policies: 'guest:mine'" + why);
  EXPECT_EQ(refusal(named("guest:mine@1a2b"), {mine}), "--policies: 'guest:mine@1a2b'" + why);
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

// Asked about a block at a time or about many at once, by one thread or by several: the same numbers.
TEST(Guests, PlayTheSameHoweverManyReplicasTheyAreAskedAboutAtOnceAndOnWhateverThreads) {
  Settings spec = problem({0.1, 0.05, 0.03}, 20, 40, 100);
  spec.policies.emplace_back("guest:twin");
  spec.replicas = 1500;
  const Choose choose = as_guest(experiment(spec, "d-klucb").rule);
  std::vector<double> regrets;
  std::set<std::size_t> asked;
  std::mutex mutex;
  for (const std::size_t at_once : {0u, 512u, 4096u}) {
    const Guest guest{"twin",
                      [&](const GuestView& view, std::span<double> indices) {
                        {
                          const std::lock_guard lock(mutex);
                          asked.insert(view.lanes);
                        }
                        choose(view, indices);
                      },
                      at_once};
    for (const int threads : {1, 4}) {
      RunOptions options;
      options.threads = threads;
      const Result result = run_with_guests(spec, {&guest, 1}, options);
      EXPECT_EQ(result.threads, threads);
      regrets.push_back(result.stats.policies[1].regret.back().mean);
    }
  }
  EXPECT_EQ(std::set<double>(regrets.begin(), regrets.end()).size(), 1u);
  EXPECT_TRUE(asked.contains(128) && asked.contains(512) && asked.contains(1500));
}

// The exposure that a guest is shown is the one that every policy has: other laws, a law for each arm, a belief that is wrong.
TEST(Guests, AreShownTheExposureOfEveryLawAndOfAnAssumedOne) {
  for (const char* law : {"uniform:0..30", "negbin:3,20", "weibull:0.7,30", "geometric:20,5,60"}) {
    for (const bool assumes : {false, true}) {
      Settings spec = problem({0.3, 0.2, 0.1}, 20, 40, 200);
      spec.delay = model::parse_delays(law);
      spec.exposure = model::Exposure::buffer;
      if (assumes) spec.assume_delay = model::Delays(model::Geometric{9});
      spec.policies = {"d-ucb", "guest:twin"};
      const Guest twin{"twin", as_guest(experiment(spec, "d-ucb").rule)};
      const Result result = run_with_guests(spec, {&twin, 1}, {});
      EXPECT_NEAR(result.stats.paired[0].mean, 0, 1e-9) << law;
      EXPECT_LT(result.stats.paired[0].standard_error(), 1e-9) << law;
    }
  }
}

TEST(Guests, WhatTheyThrowReachesTheCaller) {
  Settings spec = problem({0.1, 0.05}, 2, 10, 50);
  spec.policies = {"guest:broken"};
  const Guest broken{"broken", [](const GuestView&, std::span<double>) { throw std::domain_error("why"); }};
  EXPECT_THROW(run_with_guests(spec, {&broken, 1}, {}), std::domain_error);
}

}  // namespace
}  // namespace dbandit::sim
