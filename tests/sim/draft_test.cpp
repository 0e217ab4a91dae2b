#include "dbandit/sim/draft.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "sim/keys.hpp"
#include "sim/refusal.hpp"
#include "sim/small_problem.hpp"

namespace dbandit::sim {
namespace {

using Flags = std::vector<std::pair<std::string, std::string>>;

SpecDraft said(const Flags& flags) {
  SpecDraft draft;
  for (const auto& [key, text] : flags) assign(draft, key, text);
  return draft;
}

SpecDraft good() {
  return said({{"theta", "0.1,0.05"}, {"delay", "geometric:500"}, {"censor", "1000"}, {"horizon", "10000"}, {"policies", "d-klucb,d-ucb"}});
}

TEST(Draft, TakesEveryKeyFromTheTextOfItsFlag) {
  const SpecDraft draft = said({{"theta", "0.1, 0.05,1"},
                                {"delay", "geometric:2.5"},
                                {"censor", "30"},
                                {"horizon", "400"},
                                {"policies", "d-klucb,uniform"},
                                {"replicas", "5000"},
                                {"seed", "9223372036854775807"},
                                {"epsilon", "0.5"},
                                {"clamp", "none"},
                                {"ties", "lowest"},
                                {"start", "fixed"},
                                {"radius", "paper"},
                                {"gamma", "0.75"},
                                {"prior-shape", "0.5"},
                                {"prior-rate", "2.5"},
                                {"at", "10,100"},
                                {"engine", "reference"},
                                {"exposure", "history"},
                                {"solver", "bisection"}});
  Settings expected;
  expected.theta = {0.1, 0.05, 1};
  expected.delay = model::Geometric{2.5};
  expected.censor = 30;
  expected.horizon = 400;
  expected.policies = {"d-klucb", "uniform"};
  expected.replicas = 5000;
  expected.seed = 9223372036854775807;
  expected.epsilon = 0.5;
  expected.clamp = model::Clamp::none;
  expected.ties = model::Ties::lowest;
  expected.start = model::StartOrder::fixed;
  expected.radius = model::Radius::paper;
  expected.gamma = 0.75;
  expected.prior_shape = 0.5;
  expected.prior_rate = 2.5;
  expected.at = {10, 100, 400};
  expected.engine = Engine::reference;
  expected.exposure = model::Exposure::history;
  expected.solver = model::Solver::bisection;
  EXPECT_EQ(Spec(draft), expected);
  EXPECT_EQ(Spec(*Spec(draft)), expected);
}

TEST(Draft, RefusesTextThatIsNotWhatTheFlagTakes) {
  struct Row {
    std::string key, text, line;
  };
  const std::string rates = " does not belong in a list of 1 to 65535 numbers from 0 to 1";
  const std::string windows = " is not an integer from 1 to 1000000000, or none";
  const Row rows[] = {
      {"theta", "", "--theta: ''" + rates},
      {"theta", "0.1,,0.2", "--theta: ''" + rates},
      {"theta", "0.1,", "--theta: ''" + rates},
      {"theta", "0.1;0.2", "--theta: '0.1;0.2'" + rates + "; commas separate them"},
      {"theta", "0.1,x", "--theta: 'x'" + rates},
      {"theta", "0,1e999", "--theta: '1e999'" + rates},
      {"delay", "gaussian:1",
       "--delay: 'gaussian:1': unknown law; allowed: geometric mixture uniform constant negbin weibull lognormal pareto empirical criteo "
       "('dbandit list delays')"},
      {"delay", "", "--delay: '' is not a delay law, as in geometric:500, or one for each arm"},
      {"censor", "all", "--censor: 'all'" + windows},
      {"censor", "10.5", "--censor: '10.5'" + windows},
      {"censor", "", "--censor: ''" + windows},
      {"censor", "10,20", "--censor: '10,20'" + windows},
      {"horizon", "many", "--horizon: 'many' is not an integer from the number of arms to 1000000000"},
      {"horizon", "99999999999999999999", "--horizon: '99999999999999999999' is not an integer from the number of arms to 1000000000"},
      {"policies", "", "--policies: '' does not belong in a list of policies ('dbandit list policies')"},
      {"policies", "d-ucb,", "--policies: '' does not belong in a list of policies ('dbandit list policies')"},
      {"replicas", "1e-3", "--replicas: '1e-3' is not an integer from 1 to 10000000000"},
      {"seed", "-1", "--seed: '-1' is not an integer from 0 to 9223372036854775807"},
      {"seed", "18446744073709551615", "--seed: '18446744073709551615' is not an integer from 0 to 9223372036854775807"},
      {"seed", "0x10", "--seed: '0x10' is not an integer from 0 to 9223372036854775807"},
      {"epsilon", "small", "--epsilon: 'small' is not a number from 0 to 100000"},
      {"clamp", "two", "--clamp: 'two' is not one of: one none"},
      {"ties", "highest", "--ties: 'highest' is not one of: random lowest"},
      {"start", "auto", "--start: 'auto' is not one of: permuted fixed"},
      {"radius", "", "--radius: '' is not one of: covering paper"},
      {"gamma", "0.5x", "--gamma: '0.5x' is not a number from 0.5 to 1"},
      {"at", "10,1.5", "--at: '1.5' does not belong in a list of 1 to 10000 increasing rounds from 1 to the horizon"},
      {"engine", "gpu", "--engine: 'gpu' is not one of: auto simd leap rounds reference"},
      {"exposure", "Buffer", "--exposure: 'Buffer' is not one of: auto history buffer recursion approx:ERROR"},
      {"solver", "lambert", "--solver: 'lambert' is not one of: auto bisection newton direct"},
      {"thetas", "0.1", "--thetas: is unknown; did you mean 'theta'?"},
  };
  for (const Row& row : rows) {
    SpecDraft draft;
    try {
      assign(draft, row.key, row.text);
      ADD_FAILURE() << row.line;
    } catch (const UserError& error) {
      EXPECT_EQ(std::string(error.what()), row.line);
    }
  }
}

TEST(Draft, MinusZeroIsZeroSoThatEqualSpecsAreWrittenAlike) {
  const SpecDraft draft = said({{"theta", "-0,1"}, {"epsilon", "-0.0"}});
  EXPECT_FALSE(std::signbit(draft.settings.theta.front()));
  EXPECT_FALSE(std::signbit(draft.settings.epsilon));
}

TEST(Draft, SaysWhatIsMissingByItsFlag) {
  EXPECT_EQ(refusal(SpecDraft{}),
            "--theta: is missing; give a list of 1 to 65535 numbers from 0 to 1; missing too: --delay, --horizon, --policies");
  SpecDraft draft = good();
  draft.settings.delay = Settings{}.delay;
  draft.said.erase("delay");
  EXPECT_EQ(refusal(draft), "--delay: is missing; give a delay law, as in geometric:500, or one for each arm");
  draft = good();
  draft.settings.horizon = Settings{}.horizon;
  draft.said.erase("horizon");
  EXPECT_EQ(refusal(draft), "--horizon: is missing; give an integer from the number of arms to 1000000000");
  draft = good();
  draft.settings.policies = Settings{}.policies;
  draft.said.erase("policies");
  EXPECT_EQ(refusal(draft), "--policies: is missing; give a list of policies ('dbandit list policies')");
}

TEST(Draft, FillsInTheDefaultsOfASpec) {
  const Spec spec = Spec(good());
  Settings expected = papers_problem({"d-klucb", "d-ucb"});
  expected.theta = {0.1, 0.05};
  EXPECT_EQ(spec, Spec(expected));
}

TEST(Draft, AutoFollowsTheEngine) {
  SpecDraft draft = good();
  for (const char* engine : {"auto", "simd", "reference"}) {
    assign(draft, "engine", engine);
    const bool reference = std::string(engine) == "reference";
    for (const bool spelt_out : {false, true}) {
      if (spelt_out) assign(draft, "exposure", "auto");
      if (spelt_out) assign(draft, "solver", "auto");
      const Spec spec = Spec(draft);
      EXPECT_EQ(spec.engine(), reference ? Engine::reference : Engine::simd);
      EXPECT_EQ(spec.exposure(), reference ? model::Exposure::buffer : model::Exposure::recursion);
      EXPECT_EQ(spec.solver(), reference ? model::Solver::bisection : model::Solver::direct);
    }
  }
}

TEST(Draft, AnExplicitChoiceIsKeptOrRefusedNeverReplaced) {
  SpecDraft draft = good();
  assign(draft, "exposure", "history");
  EXPECT_EQ(refusal(draft), "--exposure: 'history' is not one of: buffer recursion approx (with --engine simd)");
  assign(draft, "engine", "reference");
  EXPECT_EQ(Spec(draft).exposure(), model::Exposure::history);
}

TEST(Draft, WhatOverridesSayWinsAndTheRestStays) {
  SpecDraft file = good();
  file.settings.engine = Engine::reference;
  file.said = {{"theta", "a.toml:1: theta"}, {"censor", "a.toml:2: censor"}};
  const SpecDraft flags = said({{"censor", "none"}, {"policies", "ud-ucb"}, {"engine", "auto"}});
  const SpecDraft both = merge(file, flags);
  EXPECT_EQ(both.settings.theta, file.settings.theta);
  EXPECT_EQ(both.settings.horizon, file.settings.horizon);
  EXPECT_EQ(both.settings.censor, std::nullopt);
  EXPECT_EQ(both.settings.policies, flags.settings.policies);
  EXPECT_EQ(Spec(both).engine(), Engine::simd);
  EXPECT_EQ(Spec(both)->censor, std::nullopt);
  EXPECT_EQ(both.said, (decltype(both.said){
                           {"theta", "a.toml:1: theta"}, {"censor", "--censor"}, {"policies", "--policies"}, {"engine", "--engine"}}));
}

TEST(Draft, AWrongValueIsReportedWhereItWasRead) {
  SpecDraft draft = good();
  draft.settings.theta = {0.1, 1.5};
  draft.said["theta"] = "a.toml:7: theta";
  EXPECT_EQ(refusal(draft), "a.toml:7: theta: 1.5 does not belong in a list of 1 to 65535 numbers from 0 to 1");
  assign(draft, "theta", "0.1,2");
  EXPECT_EQ(refusal(draft), "--theta: 2 does not belong in a list of 1 to 65535 numbers from 0 to 1");
}

TEST(Names, EveryNameReadsBackToItsValue) {
  const auto check = []<class E>(E) {
    for (const auto& [name, value] : kNames<E>) {
      EXPECT_EQ(name_of(value), name);
      EXPECT_EQ(value_of<E>(name), value);
    }
    EXPECT_FALSE(value_of<E>("").has_value());
  };
  check(Engine{});
  check(model::Exposure{});
  check(model::Solver{});
  check(model::Clamp{});
  check(model::Ties{});
  check(model::StartOrder{});
  check(model::Radius{});
}

TEST(Keys, EveryKeySaysWhatItAllows) {
  EXPECT_EQ(key_names().size(), std::tuple_size_v<decltype(kKeys)>);
  for (const std::string_view key : key_names()) EXPECT_NE(allowed(key), "") << key;
  EXPECT_EQ(allowed("solver"), "one of: auto bisection newton direct");
  EXPECT_EQ(allowed("clamp"), "one of: one none");
  EXPECT_EQ(allowed("colour"), "");
}

/// The line that good settings with this value are refused with; empty when they make a spec.
template <class T, class Allowed>
std::string line_of(const Key<T, Allowed>& key, T value) {
  SpecDraft draft = good();
  draft.settings.*key.field = value;
  return refusal(draft);
}

TEST(Keys, ARangeIsTheOneOfItsMessageToTheLastDigit) {
  int ranges = 0;
  for_each_key([&]<class T, class Allowed>(const Key<T, Allowed>& key) {
    if constexpr (std::is_same_v<Allowed, Range<T>>) {
      ++ranges;
      const auto [low, high, words] = key.allowed;
      T below{}, above{};
      if constexpr (std::is_integral_v<T>) {
        below = low - 1;  // of an unsigned one: beyond the other end
        above = high + 1;
      } else {
        below = std::nextafter(low, low - 1);
        above = std::nextafter(high, high + 1);
      }
      for (const T within : {low, high}) EXPECT_EQ(line_of(key, within).find(allowed(key.name)), std::string::npos) << key.name;
      for (const T beyond : {below, above}) {
        const std::string line = line_of(key, beyond), end = " is not " + std::string(allowed(key.name));
        EXPECT_TRUE(line.starts_with("--" + std::string(key.name) + ": ") && line.ends_with(end)) << line;
      }
    }
  });
  EXPECT_EQ(ranges, 7);
}

TEST(Keys, HelpStatesTheDefaultOfEveryKeyThatHasOne) {
  const Settings plain;
  for (const KeyWords& key : key_words()) {
    const std::string value = key_flag(plain, key.name);
    EXPECT_EQ(key.help.find("; default " + value) != std::string::npos, !key.required) << key.name << ": " << key.help;
  }
}

}  // namespace
}  // namespace dbandit::sim
