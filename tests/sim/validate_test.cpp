#include "dbandit/sim/validate.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

#include "dbandit/core/error.hpp"

namespace dbandit::sim {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Spec good() {
  Spec spec;
  spec.theta = {0.1, 0.05, 0.03};
  spec.delay = model::Geometric{500};
  spec.censor = 1000;
  spec.horizon = 10000;
  spec.policies = {"d-klucb", "d-ucb"};
  return spec;
}

/// The line that `validate` refuses the changed spec with; empty when it is accepted.
std::string refusal(const std::function<void(Spec&)>& change) {
  Spec spec = good();
  change(spec);
  try {
    validate(normalised(spec));
    return {};
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    return error.what();
  }
}

struct Rule {
  std::function<void(Spec&)> change;
  std::string line;
};

TEST(Validate, RefusesWhatCannotRunInOneLineThatNamesTheFlagWhatWasGivenAndWhatIsAllowed) {
  const std::string lists = " is not a list of 1 to 65535 numbers from 0 to 1";
  const std::string rates = " does not belong in a list of 1 to 65535 numbers from 0 to 1";
  const std::string rounds = " is not an integer from the number of arms (3) to 1000000000";
  const std::string windows = " is not an integer from 1 to 1000000000, or none";
  const std::string replicas = " is not an integer from 1 to 10000000000";
  const std::string epsilons = " is not a number from 0 to 100000";
  const std::string gammas = " is not a number from 0.5 to 1";
  const std::string records = "a list of 1 to 10000 increasing rounds from 1 to the horizon";
  const Rule rules[] = {
      {[](Spec& s) { s.theta = {}; }, "--theta: a list of 0" + lists},
      {[](Spec& s) { s.theta.assign(65536, 0.5); }, "--theta: a list of 65536" + lists},
      {[](Spec& s) { s.theta[1] = 1.5; }, "--theta: 1.5" + rates},
      {[](Spec& s) { s.theta[2] = -0.1; }, "--theta: -0.1" + rates},
      {[](Spec& s) { s.theta[0] = kNan; }, "--theta: nan" + rates},
      {[](Spec& s) { s.theta[0] = kInfinity; }, "--theta: inf" + rates},
      {[](Spec& s) { s.delay = model::Geometric{kNan}; }, "--delay: a mean of nan is not finite and at least 0"},
      {[](Spec& s) { s.delay = model::Geometric{-1}; }, "--delay: a mean of -1 is not finite and at least 0"},
      {[](Spec& s) { s.delay = model::Geometric{kInfinity}; }, "--delay: a mean of inf is not finite and at least 0"},
      {[](Spec& s) { s.horizon = 2; }, "--horizon: 2" + rounds},
      {[](Spec& s) { s.horizon = 0; }, "--horizon: 0" + rounds},
      {[](Spec& s) { s.horizon = -5; }, "--horizon: -5" + rounds},
      {[](Spec& s) { s.horizon = 1000000001; }, "--horizon: 1000000001" + rounds},
      {[](Spec& s) { s.horizon = std::numeric_limits<std::int64_t>::max(); }, "--horizon: 9223372036854775807" + rounds},
      {[](Spec& s) { s.policies = {}; }, "--policies: an empty list is not a list of policies ('dbandit list policies')"},
      {[](Spec& s) { s.policies = {"d-klubc"}; }, "--policies: 'd-klubc' is not a policy; did you mean 'd-klucb'?"},
      {[](Spec& s) { s.policies = {"thompson"}; }, "--policies: 'thompson' is not a policy; see 'dbandit list policies'"},
      {[](Spec& s) { s.policies = {"d-ucb\n"}; }, "--policies: 'd-ucb?' is not a policy; did you mean 'd-ucb'?"},
      {[](Spec& s) {
         s.policies = {"d-ucb", "ud-ucb", "d-ucb"};
       },
       "--policies: 'd-ucb' is given twice; allowed is each policy once"},
      {[](Spec& s) { s.censor = 0; }, "--censor: 0" + windows},
      {[](Spec& s) { s.censor = -3; }, "--censor: -3" + windows},
      {[](Spec& s) { s.censor = 1000000001; }, "--censor: 1000000001" + windows},
      {[](Spec& s) { s.censor.reset(); },
       "--censor: none, but policy 'd-klucb' needs a window; add --censor with an integer from 1 to 1000000000, as in --censor 1000"},
      {[](Spec& s) {
         s.censor.reset();
         s.policies = {"uniform", "discard-ucb"};
       },
       "--censor: none, but policy 'discard-ucb' needs a window; add --censor with an integer from 1 to 1000000000, as in --censor 1000"},
      {[](Spec& s) { s.replicas = 0; }, "--replicas: 0" + replicas},
      {[](Spec& s) { s.replicas = -1; }, "--replicas: -1" + replicas},
      {[](Spec& s) { s.replicas = 10000000001; }, "--replicas: 10000000001" + replicas},
      {[](Spec& s) { s.replicas = 1000000000000; }, "--replicas: 1000000000000" + replicas},
      {[](Spec& s) { s.seed = std::uint64_t{1} << 63; }, "--seed: 9223372036854775808 is not an integer from 0 to 9223372036854775807"},
      {[](Spec& s) { s.epsilon = -0.5; }, "--epsilon: -0.5" + epsilons},
      {[](Spec& s) { s.epsilon = kNan; }, "--epsilon: nan" + epsilons},
      {[](Spec& s) { s.epsilon = kInfinity; }, "--epsilon: inf" + epsilons},
      {[](Spec& s) { s.epsilon = 100001; }, "--epsilon: 100001" + epsilons},
      {[](Spec& s) { s.gamma = 0.4; }, "--gamma: 0.4" + gammas},
      {[](Spec& s) { s.gamma = 1.1; }, "--gamma: 1.1" + gammas},
      {[](Spec& s) { s.gamma = kNan; }, "--gamma: nan" + gammas},
      {[](Spec& s) { s.prior_shape = 0.05; }, "--prior-shape: 0.05 is not a number from 0.1 to 1000"},
      {[](Spec& s) { s.prior_shape = kNan; }, "--prior-shape: nan is not a number from 0.1 to 1000"},
      {[](Spec& s) { s.prior_rate = 0; }, "--prior-rate: 0 is not a number from 0.000001 to 1000000"},
      {[](Spec& s) { s.prior_rate = 2e6; }, "--prior-rate: 2000000 is not a number from 0.000001 to 1000000"},
      {[](Spec& s) {
         s.at = {0, 10};
       },
       "--at: 0 is not a round from 1 to the horizon (10000)"},
      {[](Spec& s) { s.at = {-7}; }, "--at: -7 is not a round from 1 to the horizon (10000)"},
      {[](Spec& s) {
         s.at = {100, 10001};
       },
       "--at: 10001 is not a round from 1 to the horizon (10000)"},
      {[](Spec& s) {
         s.at = {100, 50};
       },
       "--at: 50 after 100; allowed is " + records},
      {[](Spec& s) {
         s.at = {100, 100};
       },
       "--at: 100 after 100; allowed is " + records},
      {[](Spec& s) {
         s.at = {10000, 100};
       },
       "--at: 100 after 10000; allowed is " + records},
      {[](Spec& s) {
         s.horizon = 20000;
         for (std::int64_t round = 1; round <= 10001; ++round) s.at.push_back(round);
       },
       "--at: a list of 10002 is not " + records},
      {[](Spec& s) { s.exposure = model::Exposure::history; },
       "--exposure: 'history' is not one of: buffer recursion approx (with --engine simd)"},
      {[](Spec& s) { s.engine = Engine::reference; }, "--exposure: 'recursion' is not one of: history buffer (with --engine reference)"},
      {[](Spec& s) {
         s.engine = Engine::reference;
         s.exposure = model::Exposure::buffer;
       },
       "--solver: 'direct' is not one of: bisection (with --engine reference)"},
      {[](Spec& s) {
         s.engine = Engine::reference;
         s.exposure = model::Exposure::history;
         s.solver = model::Solver::newton;
       },
       "--solver: 'newton' is not one of: bisection (with --engine reference)"},
  };
  for (const Rule& rule : rules) EXPECT_EQ(refusal(rule.change), rule.line);
}

TEST(Validate, AcceptsTheLimitsThemselves) {
  const std::function<void(Spec&)> changes[] = {
      [](Spec&) {},
      [](Spec& s) {
        s.theta = {0.0, 1.0, 0.5};
      },
      [](Spec& s) { s.theta = {0.5}; },
      [](Spec& s) {
        s.theta.assign(65535, 0.5);
        s.horizon = 65535;
      },
      [](Spec& s) { s.delay = model::Geometric{0}; },
      [](Spec& s) { s.horizon = 3; },
      [](Spec& s) { s.horizon = 1000000000; },
      [](Spec& s) { s.censor = 1; },
      [](Spec& s) { s.censor = 1000000000; },
      [](Spec& s) { s.replicas = 1; },
      [](Spec& s) { s.replicas = 10000000000; },
      [](Spec& s) { s.seed = 0; },
      [](Spec& s) { s.seed = ~std::uint64_t{0} >> 1; },
      [](Spec& s) { s.epsilon = 100000; },
      [](Spec& s) { s.gamma = 0.5; },
      [](Spec& s) {
        s.at = {1, 10000};
      },
      [](Spec& s) { s.at = {1}; },
      [](Spec& s) {
        s.horizon = 20000;
        for (std::int64_t round = 1; round <= 10000; ++round) s.at.push_back(round);
      },
      [](Spec& s) {
        s.policies = {"ud-klucb", "oracle-ucb", "uniform"};
        s.censor.reset();
      },
      [](Spec& s) { s.exposure = model::Exposure::buffer; },
      [](Spec& s) { s.solver = model::Solver::bisection; },
      [](Spec& s) { s.solver = model::Solver::newton; },
      [](Spec& s) {
        s.engine = Engine::reference;
        s.exposure = model::Exposure::history;
        s.solver = model::Solver::bisection;
      },
  };
  for (const auto& change : changes) EXPECT_EQ(refusal(change), "");
}

TEST(Normalised, RecordsTheHorizonWhateverWasAskedFor) {
  Spec spec = good();
  EXPECT_EQ(normalised(spec).at, default_rounds(10000));
  spec.at = {10, 100};
  EXPECT_EQ(normalised(spec).at, (std::vector<std::int64_t>{10, 100, 10000}));
  spec.at = {10, 10000};
  EXPECT_EQ(normalised(spec).at, spec.at);
  EXPECT_EQ(normalised(normalised(good())), normalised(good()));
}

}  // namespace
}  // namespace dbandit::sim
