#include "cli/memory.hpp"

#include <random>

#include "dbandit/policy/catalogue.hpp"

namespace dbandit::test {
namespace {

long peak_kilobytes(const std::string& replicas) {
  const Outcome outcome = dbandit({"run", "--theta", "0.5,0.3", "--delay", "geometric:2", "--censor", "3", "--horizon", "4", "--policies",
                                   "d-ucb", "--at", "4", "--replicas", replicas, "--threads", "2", "--csv", "--quiet"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  return outcome.peak_kilobytes;
}

TEST(Memory, OfTwoMillionReplicasIsThatOfTenThousand) {
  const long few = peak_kilobytes("10000"), many = peak_kilobytes("2000000");
  EXPECT_LE(many, few + few / 20 + 1024) << few << " KB";
}

/// One to three policies on 1 to 40 arms, any law, any way to sum Ñ, with and without a window, 1 to 3 threads.
Words random_flags(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  const auto one_of = [&](const Words& values) { return values[below(values.size())]; };
  const int arms = static_cast<int>(1 + below(below(4) == 0 ? 40 : 5));
  std::string policies, delay = one_of({"geometric:50", "mixture:0.3*5+0.7*60", "uniform:0..300", "constant:15", "negbin:8,40",
                                        "weibull:0.7,40", "lognormal:3,1", "pareto:2,30", "empirical:5*0+3*4+1*300", "criteo:minutes=60"});
  if (arms == 3 && below(2) == 0) delay = one_of({"geometric:20,50,3", "weibull:0.7,20,geometric:5,constant:9"});
  const auto catalogue = policy::catalogue();
  for (std::uint64_t left = 1 + below(3); left > 0; --left) {
    const std::string id(catalogue[below(catalogue.size())].id);
    if (("," + policies + ",").find("," + id + ",") == std::string::npos) policies += (policies.empty() ? "" : ",") + id;
  }
  Words flags{"--theta",    rates(arms),
              "--delay",    delay,
              "--censor",   one_of({"20", "300", "5000"}),
              "--horizon",  one_of({"50", "400", "1500"}),
              "--policies", policies,
              "--replicas", one_of({"5", "128", "600"}),
              "--threads",  one_of({"1", "2", "3"}),
              "--seed",     std::to_string(below(1000))};
  if (below(4) == 0) flags = flags + Words{"--exposure", "buffer"};
  return flags;
}

TEST(Memory, OfAHundredRandomRunsIsAtMostWhatPlanPromised) {
  std::mt19937_64 random(20);
  for (int run = 0; run < 100; ++run) {
    const Words flags = random_flags(random);
    std::string what;
    for (const std::string& word : flags) what += word + " ";
    const Memory memory = memory_of(flags);
    ASSERT_LE(memory.peak, memory.promised) << what;
  }
}

// What once took many times what was promised, as small as shows it.
TEST(Memory, OfStateThatGrowsWithArmsAndWindowIsWhatPlanPromised) {
  const auto check = [](const Words& flags) { expect_kept(memory_of(flags + Words{"--threads", "2"}), flags[1] + " " + flags.back()); };
  check({"--policies", "qpmd-klucb", "--theta", rates(200), "--delay", "geometric:50", "--censor", "5000", "--horizon", "5000", "--at",
         "5000", "--replicas", "16"});
  check(
      {"--policies", "sdb", "--theta", rates(200), "--delay", "geometric:50", "--censor", "3000", "--horizon", "1000", "--replicas", "32"});
  check({"--policies", "d-klucb", "--theta", rates(1000), "--delay", "negbin:64,500", "--censor", "1000", "--horizon", "1050", "--replicas",
         "32"});
  check({"--policies", "d-klucb", "--theta", rates(4000), "--delay", "lognormal:5,1.5", "--exposure", "approx:1e-9", "--censor", "1000",
         "--horizon", "4050", "--replicas", "32"});
  check({"--policies", "ud-agnostic-klucb", "--theta", "1,0.99", "--delay", "constant:20000", "--horizon", "30000", "--replicas", "256"});
}

// Rings of disclosures, one for every arm of the replicas that leap together, whatever simd would have chosen.
TEST(Memory, OfLeapsIsWhatPlanPromised) {
  const auto check = [](const Words& flags) {
    expect_kept(memory_of(flags + Words{"--engine", "leap", "--threads", "2"}), flags[1] + " " + flags.back());
  };
  check({"--policies", "d-klucb", "--theta", rates(20), "--delay", "geometric:500", "--censor", "1000", "--horizon", "30000", "--replicas",
         "32"});
  check({"--policies", "ud-ucb,d-klucb", "--theta", "0.5,0.3", "--delay", "constant:20000", "--censor", "30000", "--horizon", "60000",
         "--replicas", "64"});
  check({"--policies", "d-ucb", "--theta", rates(200), "--delay", "geometric:500", "--censor", "5000", "--horizon", "6000", "--replicas",
         "32"});
}

// The reference keeps what happened in every round.
TEST(Memory, OfTheReferenceIsWhatPlanPromised) {
  expect_kept(memory_of({"--policies", "d-ucb", "--theta", "1,0.9", "--delay", "constant:150", "--censor", "200", "--horizon", "20000",
                         "--at", "20000", "--replicas", "1", "--engine", "reference", "--exposure", "buffer"}),
              "reference");
}

}  // namespace
}  // namespace dbandit::test
