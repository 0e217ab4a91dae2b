#include <gtest/gtest.h>

#include "dbandit/sim/run.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "model/geometric_fit.hpp"
#include "sim/refusal.hpp"

/// What a spec says about delays: laws, beliefs, and the exposure that follows from them.
namespace dbandit::sim {
namespace {

SpecDraft draft(std::string_view delay, std::string_view policies = "d-klucb") {
  SpecDraft draft;
  assign(draft, "theta", "0.1,0.05");
  assign(draft, "delay", delay);
  assign(draft, "censor", "100");
  assign(draft, "horizon", "1000");
  assign(draft, "policies", policies);
  return draft;
}

TEST(ExposureLeftOpen, IsTheBestExactOneOfWhatThePoliciesBelieve) {
  for (const char* law : {"geometric:5", "criteo:minutes=10", "uniform:0..9", "constant:3", "negbin:2,9", "geometric:5,50"}) {
    EXPECT_EQ(Spec(draft(law)).exposure(), model::Exposure::recursion) << law;
  }
  for (const char* law : {"weibull:1,5", "pareto:0.5,5", "constant:3,constant:4"}) {
    EXPECT_EQ(Spec(draft(law)).exposure(), model::Exposure::buffer) << law;
  }
  SpecDraft wrong = draft("weibull:1,5");
  assign(wrong, "assume-delay", "geometric:5");
  EXPECT_EQ(Spec(wrong).exposure(), model::Exposure::recursion);
}

TEST(SpecOfDelays, ReadsBackFromItsText) {
  for (const char* law : {"criteo:minutes=10", "geometric:500,50", "negbin:3,500,weibull:0.7,4", "empirical:5*0+3*4"}) {
    for (const char* assumed : {"world", "common", "pareto:2,50", "geometric:5,constant:7"}) {
      SpecDraft given = draft(law);
      assign(given, "assume-delay", assumed);
      const Spec spec = Spec(given);
      EXPECT_EQ(Spec(read_spec_text(spec_text(spec), "spec.toml")), spec) << law << ' ' << assumed;
    }
  }
  SpecDraft approximate = draft("weibull:0.7,40");
  assign(approximate, "exposure", "approx:1e-4");
  const Spec spec = Spec(approximate);
  EXPECT_EQ(spec.exposure(), model::ExposureChoice(model::Exposure::approx, 1e-4));
  EXPECT_EQ(Spec(read_spec_text(spec_text(spec), "spec.toml")), spec);
}

TEST(Beliefs, ReachThePoliciesAndNotTheWorld) {
  SpecDraft given = draft("geometric:500,100");
  const auto of = [&](const char* assumed) {
    assign(given, "assume-delay", assumed);
    return experiment(Spec(given), "d-klucb");
  };
  EXPECT_EQ(of("world").assumed, std::nullopt);
  EXPECT_EQ(of("common").believed(), model::Delays(model::Geometric{300}));
  EXPECT_EQ(of("constant:5").believed(), model::Delays(model::Constant{5}));
  EXPECT_EQ(of("constant:5").problem.delay.laws.size(), 2u);
}

TEST(DelaysThatCannotRun, AreRefusedInOneLine) {
  EXPECT_EQ(refusal(draft("geometric:5,6,7")), "--delay: 3 laws for 2 arms; allowed is one law, or one for each arm");
  EXPECT_EQ(
      refusal(draft("pareto:1,5", "ud-klucb")),
      "--censor: policy 'ud-klucb' waits for every conversion, but the delays have an infinite mean; allowed is a pareto SHAPE above 1, "
      "or a censored policy with --censor");
  EXPECT_EQ(refusal(draft("pareto:1,5")), "");
  EXPECT_EQ(refusal(draft("constant:101")),
            "--censor: with constant:101 no conversion is ever disclosed within 100 rounds; allowed is a longer window");
  SpecDraft given = draft("weibull:0.7,40");
  assign(given, "exposure", "recursion");
  EXPECT_EQ(refusal(given),
            "--exposure: 'recursion' does not exist for weibull:0.7,40; allowed is buffer (exact) or approx:1e-6 (a certified error)");
  given = draft("empirical:1*0+1*50");
  assign(given, "exposure", "approx:1e-6");
  EXPECT_NE(refusal(given).find("of a sum of 64 geometric laws, not within 1e-06; allowed is approx:"), std::string::npos)
      << refusal(given);
  given = draft("pareto:0.5,5");
  assign(given, "assume-delay", "common");
  EXPECT_NE(refusal(given).find("which is infinite"), std::string::npos) << refusal(given);
  given = draft("geometric:5,6", "discard-ucb");
  assign(given, "radius", "paper");
  EXPECT_EQ(refusal(given), "--radius: 'paper' needs one delay law for all arms; allowed is covering");
}

TEST(Approx, IsFittedOnceForTheSpecAndAllThreadsOfItsRun) {
  SpecDraft given = draft("weibull:0.71,41");
  assign(given, "exposure", "approx:1e-4");
  const std::size_t before = model::fits_computed();
  const Spec spec(given);
  EXPECT_EQ(model::fits_computed(), before + 1);
  run(spec, {.threads = 3});
  EXPECT_EQ(model::fits_computed(), before + 1);
}

}  // namespace
}  // namespace dbandit::sim
