#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "core/chi_square.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/model/delays.hpp"
#include "model/delay_table.hpp"
#include "model/uniforms.hpp"
#include "rng/candidates.hpp"
#include "rng/draws.hpp"

/// What every law must have: a CDF, its complement, a sampler that is its inverse, and a text. (The geometric law: delay_law_test.cpp.)
namespace dbandit::model {
namespace {

class EveryLaw : public ::testing::TestWithParam<std::string> {
 protected:
  DelayLaw law = parse_delay_law(GetParam());
};
INSTANTIATE_TEST_SUITE_P(Model, EveryLaw,
                         ::testing::Values("geometric:500", "mixture:0.3*20+0.7*2000", "mixture:0.5*0+0.5*3", "uniform:0..0",
                                           "uniform:0..1000", "constant:0", "constant:7", "negbin:1,40", "negbin:3,500", "negbin:20,30",
                                           "weibull:0.7,400", "weibull:2,50", "lognormal:5,1.5", "lognormal:0,0.5", "pareto:2,500",
                                           "pareto:0.8,10", "empirical:5*0+3*4+2*90", "criteo:minutes=10"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
                           return name;
                         });

/// Delays to look at: the first hundred, then further and further apart.
std::vector<std::int64_t> some_delays(const DelayLaw& law) {
  std::vector<std::int64_t> delays;
  const std::int64_t last = std::min<std::int64_t>(longest_delay(law) + 2, 1'000'000'000);
  for (std::int64_t d = 0; d <= last; d = std::max(d + 1, d * 21 / 20 - 100)) delays.push_back(d);
  return delays;
}

TEST_P(EveryLaw, ReadsBackFromItsText) { EXPECT_EQ(parse_delay_law(to_text(law)), law) << to_text(law); }

TEST_P(EveryLaw, HasACdfThatRisesAndASurvivalThatIsItsComplement) {
  double before = 1;
  for (const std::int64_t d : some_delays(law)) {
    EXPECT_NEAR(cdf(law, d) + survival(law, d), 1, 3e-16) << d;
    EXPECT_LE(survival(law, d), before) << d;
    before = survival(law, d);
  }
  EXPECT_EQ(cdf(law, -1), 0);
  EXPECT_EQ(survival(law, -1), 1);
}

TEST_P(EveryLaw, HasTheMeanOfItsSurvivals) {
  if (longest_delay(law) > 1'000'000) return;  // too long to add up: see MeanOfHeavyTails
  double sum = 0;
  for (std::int64_t d = longest_delay(law); d >= 0; --d) sum += survival(law, d);
  EXPECT_NEAR(mean(law), sum, 1e-9 * (1 + sum));
}

// Σ_{n≥1} (1 + n/s)^−a by 3000 terms and five of Euler and Maclaurin's in 50-digit arithmetic; for a = 2 it is s² ζ(2, s + 1).
TEST(MeanOfHeavyTails, IsThatOfTheSeriesToTheTwelfthDigit) {
  EXPECT_NEAR(mean(parse_delay_law("pareto:2,500")), 499.500333333066667, 1e-12 * 500);
  EXPECT_NEAR(mean(parse_delay_law("pareto:1.5,300")), 599.500416665991517, 1e-12 * 600);
  EXPECT_NEAR(mean(parse_delay_law("pareto:1.2,2000")), 9999.50004999999853, 1e-12 * 10000);
  EXPECT_EQ(mean(parse_delay_law("pareto:1,500")), std::numeric_limits<double>::infinity());
}

/// E D = Σ_{n≥1} P(D ≥ n), smallest terms first. A function of its own: a lambda is constexpr, and g++ then adds up at compile time for
/// half a minute.
double added_up(long double (*survives)(long double)) {
  long double sum = 0;
  for (int n = 4'000'000; n >= 1; --n) sum += survives(static_cast<long double>(n));
  return static_cast<double>(sum);
}

// Whose tails reach beyond the terms that are added one by one, and are short enough to add up here.
TEST(MeanOfLongTails, IsThatOfTheSeriesToTheTwelfthDigit) {
  const double weibull = added_up([](long double n) { return std::exp(-std::sqrt(n / 1000)); });
  EXPECT_NEAR(mean(parse_delay_law("weibull:0.5,1000")), weibull, 1e-12 * weibull);
  const double lognormal = added_up([](long double n) { return std::erfc((std::log(n) - 6) / std::sqrt(2.0L)) / 2; });
  EXPECT_NEAR(mean(parse_delay_law("lognormal:6,1")), lognormal, 1e-12 * lognormal);
}

TEST_P(EveryLaw, GivesEveryDelayItsShareOfTheUniforms) {
  const auto delays = some_delays(law);
  for (std::size_t i = 0; i < delays.size(); i += 1 + delays.size() / 60) {
    // Half a uniform, and the last bit of the double that the survival is.
    const double expected = survival(law, delays[i]) * static_cast<double>(kUniforms);
    ASSERT_NEAR(static_cast<double>(uniforms_beyond(law, delays[i])), expected, 1.01) << delays[i];
  }
}

// The world that a pull meets: C ~ Bernoulli(θ) and D of this law, independent. Every round of 64 replicas, by the candidates of a problem
// whose best arm has a rate of 0.4; the arm pulled has 0.3. Four cells of the delay times two of the conversion, 5 standard deviations.
TEST_P(EveryLaw, IsIndependentOfTheConversion) {
  constexpr double kRate = 0.3;
  constexpr std::uint64_t kReplicas = 64, kRounds = 1000;
  const auto candidates = rng::Candidates::of(77, std::vector{0.4, kRate});
  std::vector<std::int64_t> ends;
  for (const double beyond : {0.75, 0.5, 0.25}) {
    const std::int64_t end = delay_at(law, beyond);
    if (end < longest_delay(law) && (ends.empty() || end > ends.back())) ends.push_back(end);
  }
  std::vector<double> counts(2 * (ends.size() + 1)), expected;
  for (const double chance : {1 - kRate, kRate}) {
    double before = 0;
    for (std::size_t i = 0; i <= ends.size(); ++i) {
      const double here = i < ends.size() ? cdf(law, ends[i]) : 1;
      expected.push_back(kReplicas * kRounds * chance * (here - before));
      before = here;
    }
  }
  for (std::uint64_t replica = 0; replica < kReplicas; ++replica) {
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      const std::int64_t delay = delay_at(law, rng::open_uniform(rng::delay_bits(77, replica, round)));
      const auto cell = static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), delay) - ends.begin());
      counts[candidates.converts(replica, round, kRate) * (ends.size() + 1) + cell] += 1;
    }
  }
  EXPECT_LT(std::abs(chi_square_z(counts, expected)), 5);
}

TEST_P(EveryLaw, IsTheLawOfItsSampleByChiSquareAndInTheTail) {
  // 20 cells of about equal chance, 40 000 draws; 4 standard deviations of χ² and of the tail's count: a false alarm in ~10^4.
  constexpr int kDraws = 40'000;
  std::vector<std::int64_t> ends;
  for (int cell = 1; cell < 20; ++cell) {
    const std::int64_t end = delay_at(law, 1 - cell / 20.0);
    if (ends.empty() || end > ends.back()) ends.push_back(end);
  }
  std::vector<double> counts(ends.size() + 1), expected;
  double before = 0;
  for (const std::int64_t end : ends) {
    expected.push_back(kDraws * (cdf(law, end) - before));
    before = cdf(law, end);
  }
  expected.push_back(kDraws * (1 - before));
  const std::int64_t far = delay_at(law, 0.002);
  double beyond = 0;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const std::int64_t delay = delay_at(law, rng::open_uniform(rng::delay_bits(11, i, 5)));
    counts[static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), delay) - ends.begin())] += 1;
    beyond += delay > far;
  }
  for (std::size_t i = counts.size(); i-- > 0;) {  // cells that nothing can fall into
    if (expected[i] > 1e-9) continue;
    EXPECT_EQ(counts[i], 0);
    counts.erase(counts.begin() + static_cast<std::ptrdiff_t>(i));
    expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (counts.size() > 1) {
    EXPECT_LT(std::abs(chi_square_z(counts, expected)), 4);
  }
  const double rare = kDraws * survival(law, far);
  EXPECT_LE(std::abs(beyond - rare), 4 * std::sqrt(rare));
}

TEST_P(EveryLaw, IsInvertedAlikeByItsTable) {
  DelayTable table(law);
  for (const std::int64_t last : {std::int64_t{3}, std::int64_t{200'000}}) {  // grown on the way
    table.reach(std::min(last, longest_delay(law)));
    const std::int64_t reach = std::min(last, longest_delay(law));
    for (std::uint64_t i = 0; i < 3000; ++i) {
      // Uniforms, and ones from every binade down to the least.
      const std::uint64_t bits = rng::delay_bits(3, i, 1) >> (i % 2 == 0 ? 0 : i % 52);
      const double v = rng::open_uniform(bits);
      ASSERT_EQ(table.at(v), std::min(delay_at(law, v), reach + 1)) << v;
    }
    ASSERT_EQ(table.at(rng::open_uniform(0)), std::min(longest_delay(law), reach + 1));
    for (const std::int64_t d : {std::int64_t{0}, reach / 2, reach}) {  // at the edge of a step, on either side
      if (std::holds_alternative<Geometric>(law)) continue;  // its logarithm splits what rounds to the same survival; no draw lies there
      const double s = survival(law, d);
      for (const double v : {s, std::nextafter(s, 0.0), std::nextafter(s, 1.0)}) {
        if (v < 0x1p-53 || v >= 1) continue;
        ASSERT_EQ(table.at(v), std::min(delay_at(law, v), reach + 1)) << d << ' ' << v;
      }
    }
    const double* const tau = table.cdf(reach);
    for (const std::int64_t d : {std::int64_t{0}, reach / 2, reach}) EXPECT_EQ(tau[d], cdf(law, d));
  }
}

TEST(NegativeBinomial, OfOneStageIsGeometricAndOfTwoTheirSum) {
  for (std::int64_t d = 0; d < 400; ++d) {
    EXPECT_NEAR(survival(NegativeBinomial{1, 40}, d), survival(Geometric{40}, d), 1e-16);
    double sum = 0;
    for (std::int64_t first = 0; first <= d; ++first) {
      sum += (cdf(Geometric{20}, first) - cdf(Geometric{20}, first - 1)) * cdf(Geometric{20}, d - first);
    }
    EXPECT_NEAR(cdf(NegativeBinomial{2, 40}, d), sum, 1e-13) << d;
  }
  EXPECT_NEAR(cdf(NegativeBinomial{20, 30}, 0), std::pow(0.4, 20), 1e-22);  // no cancellation
}

// C(r − 1 + j, j) p^r q^j summed over j ≤ d, where 1 − P(D > d) would have no digit left.
TEST(NegativeBinomial, OfManyStagesKeepsItsDigitsWhileNothingIsSeen) {
  const double p = 64.0 / 564, q = 500.0 / 564;
  double term = std::pow(p, 64), sum = term;
  for (std::int64_t d = 0; d < 120; ++d) {
    const double shown = cdf(NegativeBinomial{64, 500}, d);
    ASSERT_LT(shown, 1e-9);
    EXPECT_NEAR(shown / sum, 1, 1e-12) << d;
    const auto next = static_cast<double>(d + 1);
    sum += term *= q * (63 + next) / next;
  }
}

// What is published, for any round that divides an hour; and that the preset is stored as the mixture it is.
TEST(Criteo, HasThePublishedSharesHoweverLongARoundIs) {
  for (const int minutes : {1, 5, 10, 60}) {
    const DelayLaw law = parse_delay_law("criteo:minutes=" + std::to_string(minutes));
    EXPECT_NEAR(cdf(law, 60 / minutes - 1), 0.35, 1e-12) << minutes;
    EXPECT_NEAR(cdf(law, 1440 / minutes - 1), 0.50, 1e-12) << minutes;
    EXPECT_NEAR(survival(law, 20160 / minutes - 1), 0.13, 1e-12) << minutes;
  }
  EXPECT_EQ(parse_delay_law("criteo"), DelayLaw(criteo(1)));
  EXPECT_TRUE(to_text(criteo(10)).starts_with("mixture:"));
}

TEST(Empirical, IsReadFromTwoColumnsAndKeepsNoFile) {
  const std::string path = ::testing::TempDir() + "dbandit_delays.csv";
  std::ofstream(path) << "delay,count\n# seen last week\n4, 3\n0 5\n\n90\t2\n4,0\n";
  const DelayLaw law = parse_delay_law("empirical:" + path);
  std::remove(path.c_str());
  EXPECT_EQ(law, DelayLaw(Empirical{{{0, 5}, {4, 3}, {90, 2}}}));
  EXPECT_EQ(to_text(law), "empirical:5*0+3*4+2*90");
  EXPECT_DOUBLE_EQ(cdf(law, 3), 0.5);
  EXPECT_DOUBLE_EQ(mean(law), 19.2);
}

std::string complaint(const std::string& text) {
  try {
    parse_delays(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(DelayText, ThatIsWrongIsRefusedInOneLineThatSaysWhatIsAllowed) {
  const struct {
    const char *text, *says;
  } cases[] = {{"mixture:0.3*20", "the weights add up to 0.3, not to 1"},
               {"mixture:0.3*20+0.7", "a part is not WEIGHT*MEAN"},
               {"uniform:1..5", "does not begin with 0.."},
               {"uniform:0..-5", "the longest delay is out of range"},
               {"constant:1.5", "the delay is not an integer"},
               {"negbin:3", "two numbers are needed, stages and mean"},
               {"negbin:0,5", "the number of stages is out of range"},
               {"weibull:0,5", "the shape is out of range"},
               {"lognormal:5,nan", "the sigma is out of range"},
               {"pareto:2,x", "the scale is not a number"},
               {"empirical:no-such-file", "the file cannot be read"},
               {"empirical:0*5", "there is no observation in it"},
               {"criteo:hours=1", "the only parameter is minutes"},
               {"criteo:minutes=0", "the number of minutes is out of range"},
               {"parto:2,500", "did you mean 'pareto'?"},
               {"constant", "the parameters are missing"},
               {"geometric:5,x", "the mean is not a number"},
               {"geometric:5,wiebull:1,2", "did you mean 'weibull'?"},
               {"", "unknown law"}};
  for (const auto& wrong : cases) {
    const std::string line = complaint(wrong.text);
    EXPECT_NE(line.find(wrong.says), std::string::npos) << wrong.text << ": " << line;
    EXPECT_NE(line.find("allowed: "), std::string::npos) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
}

TEST(Delays, OfSeveralArmsAreSeparatedByCommas) {
  EXPECT_EQ(parse_delays("geometric:500,50,2000").laws, (std::vector<DelayLaw>{Geometric{500}, Geometric{50}, Geometric{2000}}));
  EXPECT_EQ(parse_delays("negbin:3,500,constant:5,geometric:1,2,weibull:2,50").laws,
            (std::vector<DelayLaw>{NegativeBinomial{3, 500}, Constant{5}, Geometric{1}, Geometric{2}, parse_delay_law("weibull:2,50")}));
  for (const char* text : {"geometric:500", "geometric:500,geometric:50", "uniform:0..5,mixture:0.5*1+0.5*2,negbin:2,5"}) {
    EXPECT_EQ(delays_text(parse_delays(text)), text);
  }
}

TEST(Delays, HaveARecursionWhereTheirLawsHave) {
  for (const char* text : {"geometric:5", "criteo", "uniform:0..9", "constant:3", "negbin:2,9", "geometric:5,50", "geometric:5,criteo"}) {
    EXPECT_TRUE(has_recursion(parse_delays(text))) << text;
  }
  for (const char* text :
       {"weibull:1,5", "lognormal:1,1", "pareto:2,5", "empirical:1*5", "constant:3,constant:4", "geometric:5,weibull:1,5"}) {
    EXPECT_FALSE(has_recursion(parse_delays(text))) << text;
  }
}

TEST(LawFamilies, GiveExamplesThatRead) {
  for (const LawFamily& family : law_families()) {
    if (family.form.find("FILE") != std::string_view::npos) continue;
    EXPECT_NO_THROW(parse_delay_law(family.example)) << family.form;
  }
}

}  // namespace
}  // namespace dbandit::model
