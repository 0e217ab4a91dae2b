#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "dbandit/core/error.hpp"
#include "sim/small_problem.hpp"

namespace dbandit::sim {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Settings good() { return papers_problem({"d-klucb", "d-ucb"}); }

/// The line that the changed settings are refused with; empty when they make a spec.
std::string refusal(const std::function<void(Settings&)>& change) {
  Settings spec = good();
  try {
    change(spec);
    return Spec(spec) == Spec(spec) ? "" : "not equal to itself";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
}

struct Rule {
  std::function<void(Settings&)> change;
  std::string line;
};

TEST(Spec, RefusesWhatCannotRunInOneLineThatNamesTheFlagWhatWasGivenAndWhatIsAllowed) {
  const std::string lists = " is not a list of 1 to 65535 numbers from 0 to 1";
  const std::string rates = " does not belong in a list of 1 to 65535 numbers from 0 to 1";
  const std::string rounds = " is not an integer from the number of arms to 1000000000";
  const std::string windows = " is not an integer from 1 to 1000000000, or none";
  const std::string replicas = " is not an integer from 1 to 10000000000";
  const std::string epsilons = " is not a number from 0 to 100000";
  const std::string gammas = " is not a number from 0.5 to 1";
  const std::string records = "a list of 1 to 10000 increasing rounds from 1 to the horizon";
  const Rule rules[] = {
      {[](Settings& s) { s.theta = {}; }, "--theta: is missing; give a list of 1 to 65535 numbers from 0 to 1"},
      {[](Settings& s) { s.theta.assign(65536, 0.5); }, "--theta: a list of 65536" + lists},
      {[](Settings& s) { s.theta[1] = 1.5; }, "--theta: 1.5" + rates},
      {[](Settings& s) { s.theta[2] = -0.1; }, "--theta: -0.1" + rates},
      {[](Settings& s) { s.theta[0] = kNan; }, "--theta: nan" + rates},
      {[](Settings& s) { s.theta[0] = kInfinity; }, "--theta: inf" + rates},
      {[](Settings& s) { s.delay = model::Geometric{kNan}; }, "--delay: a mean of nan is not finite and at least 0"},
      {[](Settings& s) { s.delay = model::Geometric{-1}; }, "--delay: a mean of -1 is not finite and at least 0"},
      {[](Settings& s) { s.delay = model::Geometric{kInfinity}; }, "--delay: a mean of inf is not finite and at least 0"},
      {[](Settings& s) { s.horizon = 2; }, "--horizon: 2 is not an integer from the number of arms (3) to 1000000000"},
      {[](Settings& s) { s.horizon = 0; }, "--horizon: is missing; give an integer from the number of arms to 1000000000"},
      {[](Settings& s) { s.horizon = -5; }, "--horizon: -5" + rounds},
      {[](Settings& s) { s.horizon = 1000000001; }, "--horizon: 1000000001" + rounds},
      {[](Settings& s) { s.horizon = std::numeric_limits<std::int64_t>::max(); }, "--horizon: 9223372036854775807" + rounds},
      {[](Settings& s) { s.policies = {}; }, "--policies: is missing; give a list of policies ('dbandit list policies')"},
      {[](Settings& s) { s.policies = {"d-klubc"}; }, "'d-klubc' is not a policy; did you mean 'd-klucb'?"},
      {[](Settings& s) { s.policies = {"thompson"}; }, "'thompson' is not a policy; see 'dbandit list policies'"},
      {[](Settings& s) { s.policies = {"d-ucb\n"}; }, "'d-ucb?' is not a policy; did you mean 'd-ucb'?"},
      {[](Settings& s) {
         s.policies = {"d-ucb", "ud-ucb", "d-ucb"};
       },
       "--policies: 'd-ucb' is given twice; allowed is each policy once"},
      {[](Settings& s) { s.censor = 0; }, "--censor: 0" + windows},
      {[](Settings& s) { s.censor = -3; }, "--censor: -3" + windows},
      {[](Settings& s) { s.censor = 1000000001; }, "--censor: 1000000001" + windows},
      {[](Settings& s) { s.censor.reset(); },
       "--censor: none, but policy 'd-klucb' needs a window; add --censor with an integer from 1 to 1000000000, as in --censor 1000"},
      {[](Settings& s) {
         s.censor.reset();
         s.policies = {"uniform", "discard-ucb"};
       },
       "--censor: none, but policy 'discard-ucb' needs a window; add --censor with an integer from 1 to 1000000000, as in --censor 1000"},
      {[](Settings& s) { s.replicas = 0; }, "--replicas: 0" + replicas},
      {[](Settings& s) { s.replicas = -1; }, "--replicas: -1" + replicas},
      {[](Settings& s) { s.replicas = 10000000001; }, "--replicas: 10000000001" + replicas},
      {[](Settings& s) { s.replicas = 1000000000000; }, "--replicas: 1000000000000" + replicas},
      {[](Settings& s) { s.seed = std::uint64_t{1} << 63; }, "--seed: 9223372036854775808 is not an integer from 0 to 9223372036854775807"},
      {[](Settings& s) { s.epsilon = -0.5; }, "--epsilon: -0.5" + epsilons},
      {[](Settings& s) { s.epsilon = kNan; }, "--epsilon: nan" + epsilons},
      {[](Settings& s) { s.epsilon = kInfinity; }, "--epsilon: inf" + epsilons},
      {[](Settings& s) { s.epsilon = 100001; }, "--epsilon: 100001" + epsilons},
      {[](Settings& s) { s.gamma = 0.4; }, "--gamma: 0.4" + gammas},
      {[](Settings& s) { s.gamma = 1.1; }, "--gamma: 1.1" + gammas},
      {[](Settings& s) { s.gamma = kNan; }, "--gamma: nan" + gammas},
      {[](Settings& s) { s.prior_shape = 0.05; }, "--prior-shape: 0.05 is not a number from 0.1 to 1000"},
      {[](Settings& s) { s.prior_shape = kNan; }, "--prior-shape: nan is not a number from 0.1 to 1000"},
      {[](Settings& s) { s.prior_rate = 0; }, "--prior-rate: 0 is not a number from 1e-06 to 1000000"},
      {[](Settings& s) { s.prior_rate = 2e6; }, "--prior-rate: 2000000 is not a number from 1e-06 to 1000000"},
      {[](Settings& s) {
         s.at = {0, 10};
       },
       "--at: 0 does not belong in " + records},
      {[](Settings& s) { s.at = {-7}; }, "--at: -7 does not belong in " + records},
      {[](Settings& s) {
         s.at = {100, 10001};
       },
       "--at: 10001 is not a round from 1 to the horizon (10000)"},
      {[](Settings& s) {
         s.at = {100, 50};
       },
       "--at: 50 after 100; allowed is " + records},
      {[](Settings& s) {
         s.at = {100, 100};
       },
       "--at: 100 after 100; allowed is " + records},
      {[](Settings& s) {
         s.at = {10000, 100};
       },
       "--at: 100 after 10000; allowed is " + records},
      {[](Settings& s) {
         s.horizon = 20000;
         for (std::int64_t round = 1; round <= 10001; ++round) s.at.push_back(round);
       },
       "--at: a list of 10002 is not " + records},
      {[](Settings& s) { s.exposure = model::Exposure::history; },
       "--exposure: 'history' is not one of: buffer recursion approx (with --engine simd)"},
      {[](Settings& s) {
         s.engine = Engine::reference;
         s.exposure = model::Exposure::recursion;
       },
       "--exposure: 'recursion' is not one of: history buffer (with --engine reference)"},
      {[](Settings& s) {
         s.engine = Engine::reference;
         s.solver = model::Solver::direct;
       },
       "--solver: 'direct' is not one of: bisection (with --engine reference)"},
      {[](Settings& s) {
         s.engine = Engine::reference;
         s.exposure = model::Exposure::history;
         s.solver = model::Solver::newton;
       },
       "--solver: 'newton' is not one of: bisection (with --engine reference)"},
  };
  for (const Rule& rule : rules) EXPECT_EQ(refusal(rule.change), rule.line);
}

TEST(Spec, AcceptsTheLimitsThemselves) {
  const std::function<void(Settings&)> changes[] = {
      [](Settings&) {},
      [](Settings& s) {
        s.theta = {0.0, 1.0, 0.5};
      },
      [](Settings& s) { s.theta = {0.5}; },
      [](Settings& s) {
        s.theta.assign(65535, 0.5);
        s.horizon = 65535;
      },
      [](Settings& s) { s.delay = model::Geometric{0}; },
      [](Settings& s) { s.horizon = 3; },
      [](Settings& s) { s.horizon = 1000000000; },
      [](Settings& s) { s.censor = 1; },
      [](Settings& s) { s.censor = 1000000000; },
      [](Settings& s) { s.replicas = 1; },
      [](Settings& s) { s.replicas = 10000000000; },
      [](Settings& s) { s.seed = 0; },
      [](Settings& s) { s.seed = ~std::uint64_t{0} >> 1; },
      [](Settings& s) { s.epsilon = 100000; },
      [](Settings& s) { s.gamma = 0.5; },
      [](Settings& s) {
        s.at = {1, 10000};
      },
      [](Settings& s) { s.at = {1}; },
      [](Settings& s) {
        s.horizon = 20000;
        for (std::int64_t round = 1; round <= 10000; ++round) s.at.push_back(round);
      },
      [](Settings& s) {
        s.policies = {"ud-klucb", "oracle-ucb", "uniform"};
        s.censor.reset();
      },
      [](Settings& s) { s.exposure = model::Exposure::buffer; },
      [](Settings& s) { s.solver = model::Solver::bisection; },
      [](Settings& s) { s.solver = model::Solver::newton; },
      [](Settings& s) {
        s.engine = Engine::reference;
        s.exposure = model::Exposure::history;
        s.solver = model::Solver::bisection;
      },
  };
  for (const auto& change : changes) EXPECT_EQ(refusal(change), "");
}

TEST(Spec, RecordsTheHorizonWhateverWasAskedFor) {
  Settings spec = good();
  EXPECT_EQ(Spec(spec)->at, default_rounds(10000));
  spec.at = {10, 100};
  EXPECT_EQ(Spec(spec)->at, (std::vector<std::int64_t>{10, 100, 10000}));
  spec.at = {10, 10000};
  EXPECT_EQ(Spec(spec)->at, spec.at);
  EXPECT_EQ(Spec(*Spec(good())), Spec(good()));
}

}  // namespace
}  // namespace dbandit::sim
