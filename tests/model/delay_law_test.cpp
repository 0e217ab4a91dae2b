#include "dbandit/model/delay_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/chi_square.hpp"
#include "dbandit/core/error.hpp"
#include "model/uniforms.hpp"
#include "rng/draws.hpp"

namespace dbandit::model {
namespace {

const std::vector<double> kMeans = {0, 1e-300, 1e-3, 0.5, 1, 3, 50, 500, 5000, 1e7};

TEST(Geometric, HasThePapersShareOfVisibleConversions) {
  EXPECT_NEAR(cdf(Geometric{500}, 1000), 0.8646648068, 5e-11);
  EXPECT_NEAR(cdf(Geometric{500}, 0), 1.0 / 501, 1e-17);  // support starts at 0: a conversion can be disclosed in its own round
}

/// (μ/(1+μ))^{d+1} and its complement in 50-digit arithmetic (mpmath).
TEST(Geometric, SurvivalAndCdfAreAccurateToTwoUlpInBothTails) {
  struct {
    double mean;
    std::int64_t d;
    double survival, cdf;
  } const table[] = {
      {1e-3, 0, 0.000999000999000999001, 0.999000999000999001},
      {1e-3, 5, 9.9402094412574846121e-19, 0.99999999999999999901},
      {0.5, 3, 0.012345679012345679012, 0.98765432098765432099},
      {1, 52, 1.1102230246251565404e-16, 0.99999999999999988898},
      {50, 100, 0.13532643842916240222, 0.86467356157083759778},
      {500, 0, 0.99800399201596806387, 0.0019960079840319361277},
      {500, 1000, 0.13533519319324330473, 0.86466480680675669527},
      {500, 18000, 2.3996323956111397309e-16, 0.99999999999999976004},
      {5000, 200, 0.96060116157310529084, 0.039398838426894709164},
      {1e7, 0, 0.99999990000001, 9.9999990000001e-8},
      {1e7, 300'000'000, 9.3576360695206124806e-14, 0.99999999999990642364},
  };
  constexpr double two_ulp = 2 * std::numeric_limits<double>::epsilon();
  for (const auto& row : table) {
    EXPECT_NEAR(survival(Geometric{row.mean}, row.d), row.survival, two_ulp * row.survival) << row.mean << ' ' << row.d;
    EXPECT_NEAR(cdf(Geometric{row.mean}, row.d), row.cdf, two_ulp * row.cdf) << row.mean << ' ' << row.d;
  }
}

TEST(Geometric, NothingIsDisclosedBeforeThePullAndEverythingInTheEnd) {
  for (const double mean : kMeans) {
    EXPECT_EQ(cdf(Geometric{mean}, -1), 0);
    EXPECT_EQ(survival(Geometric{mean}, -1), 1);
    EXPECT_EQ(cdf(Geometric{mean}, std::numeric_limits<std::int64_t>::max()), 1);
    EXPECT_EQ(survival(Geometric{mean}, std::numeric_limits<std::int64_t>::max()), 0);
  }
}

TEST(Geometric, MeanIsTheSumOfTheSurvivals) {
  for (const double expected : {0.0, 1e-3, 0.5, 1.0, 50.0, 500.0}) {
    const DelayLaw law = Geometric{expected};
    EXPECT_EQ(mean(law), expected);
    double sum = 0;
    for (std::int64_t d = longest_delay(law) + 1; d >= 0; --d) sum += survival(law, d);
    EXPECT_NEAR(sum, expected, 1e-12 * expected);
  }
}

TEST(Geometric, WithoutDelayDisclosesAtOnce) {
  const DelayLaw law = Geometric{0};
  for (const std::uint64_t u : {std::uint64_t{0}, kUniforms / 2, kUniforms - 1}) EXPECT_EQ(delay_at(law, rng::open_uniform(u)), 0);
  EXPECT_EQ(longest_delay(law), 0);
  EXPECT_EQ(cdf(law, 0), 1);
  EXPECT_EQ(survival(law, 0), 0);
}

/// μ = 1 is ρ = 1/2, where integers decide: v = n 2^-53 with n odd, and D = d iff 2^{52−d} < n < 2^{53−d}. (n = 1 is 2^-53
/// itself, the one uniform that lies on a boundary; either side is as good, and one uniform in 2^52 is not seen in any law.)
TEST(DelayAt, CountsLeadingZerosWhenHalfSurvives) {
  const DelayLaw law = Geometric{1};
  for (int power = 1; power <= 52; ++power) {
    for (const std::int64_t offset : {-1, 1}) {
      const std::uint64_t n = (std::uint64_t{1} << power) + static_cast<std::uint64_t>(offset);
      if (n <= 1) continue;
      EXPECT_EQ(delay_at(law, rng::open_uniform(n / 2)), 53 - std::bit_width(n)) << n;
    }
  }
}

/// ρ^{d+1} 2^52 rounded to an integer, whatever the last bit of a logarithm in double would say; 0.01 is for the test's own
/// rounding, in extended precision.
TEST(DelayAt, GivesEveryDelayExactlyItsShareOfTheUniforms) {
  for (const double mean : {1e-300, 1e-3, 0.5, 3.0, 50.0, 500.0, 5000.0, 1e7}) {
    const DelayLaw law = Geometric{mean};
    const std::int64_t longest = longest_delay(law);
    const std::int64_t step = 1 + longest / 300;
    for (std::int64_t d = 0; d <= longest; d += d < 300 ? 1 : step) {
      const long double share = std::exp(static_cast<long double>(d + 1) * -std::log1p(1.0L / mean));
      const long double error = static_cast<long double>(uniforms_beyond(law, d)) - share * kUniforms;
      ASSERT_LE(std::abs(error), 0.51L) << mean << ' ' << d;
    }
    EXPECT_EQ(uniforms_beyond(law, longest), 0u);
    EXPECT_GE(uniforms_beyond(law, longest - 1), 1u);
  }
}

TEST(DelayAt, InvertsTheCdf) {
  constexpr double slack = 1e-15;  // of the survivals, which are rounded
  for (const double mean : kMeans) {
    const DelayLaw law = Geometric{mean};
    for (std::uint64_t replica = 0; replica < 2'000; ++replica) {
      const std::uint64_t bits = rng::delay_bits(5, replica, 1);
      for (const double v :
           {rng::open_uniform(bits), rng::open_uniform(bits >> (replica % 52)), 1 - rng::open_uniform(bits >> (replica % 52))}) {
        const std::int64_t d = delay_at(law, v);
        ASSERT_GE(d, 0);
        ASSERT_LE(survival(law, d), v * (1 + slack)) << mean << ' ' << v;
        ASSERT_GE(survival(law, d - 1), v * (1 - slack)) << mean << ' ' << v;
      }
    }
  }
}

TEST(DelayAt, FollowsTheLawOnTheDelayStream) {
  // χ² over 64 classes of equal chance, 2·10^5 draws: |z| < 5, a false alarm for one seed in 10^5.
  constexpr std::uint64_t draws = 200'000;
  for (const double mean : {50.0, 500.0, 5000.0}) {
    const DelayLaw law = Geometric{mean};
    std::vector<std::int64_t> ends;  // class i is (ends[i−1], ends[i]]
    for (int i = 1; i < 64; ++i) {
      const std::int64_t end = delay_at(law, 1 - i / 64.0);
      if (ends.empty() || end > ends.back()) ends.push_back(end);
    }
    ends.push_back(std::numeric_limits<std::int64_t>::max());
    std::vector<double> expected, counts(ends.size(), 0.0);
    for (std::size_t i = 0; i < ends.size(); ++i) expected.push_back(draws * (cdf(law, ends[i]) - (i == 0 ? 0 : cdf(law, ends[i - 1]))));
    for (std::uint64_t replica = 0; replica < draws; ++replica) {
      const std::int64_t d = delay_at(law, rng::open_uniform(rng::delay_bits(11, replica, 3)));
      ++counts[static_cast<std::size_t>(std::lower_bound(ends.begin(), ends.end(), d) - ends.begin())];
    }
    EXPECT_LT(std::abs(chi_square_z(counts, expected)), 5) << mean;
  }
}

TEST(LongestDelay, IsThatOfTheSmallestUniform) {
  EXPECT_EQ(longest_delay(Geometric{500}), static_cast<std::int64_t>(std::floor(53 * std::log(2.0) / std::log1p(1.0 / 500))));
  for (const double mean : kMeans) {
    for (std::uint64_t u = 0; u < 1000; ++u) EXPECT_LE(delay_at(Geometric{mean}, rng::open_uniform(u)), longest_delay(Geometric{mean}));
  }
}

TEST(DelayText, ReadsBackToAnEqualLaw) {
  EXPECT_EQ(to_text(Geometric{500}), "geometric:500");
  EXPECT_EQ(to_text(Geometric{0.1}), "geometric:0.1");
  for (const double mean : {0.0, 5e-324, 1e-3, 0.1, 1.0 / 3, 500.0, 123456.789, 1e7}) {
    EXPECT_EQ(parse_delay_law(to_text(Geometric{mean})), DelayLaw{Geometric{mean}}) << to_text(Geometric{mean});
  }
  EXPECT_EQ(parse_delay_law("geometric:5e2"), DelayLaw{Geometric{500}});
  EXPECT_EQ(to_text(parse_delay_law("geometric:-0")), "geometric:0");
}

TEST(DelayText, RefusesInOneLineWhatIsNotALawAndSaysWhatIs) {
  struct {
    const char* text;
    const char* reason;
  } const table[] = {
      {"", "unknown law"},
      {"500", "a number is no law"},
      {"geometrc:500", "unknown law"},
      {"Geometric:500", "unknown law"},
      {" geometric:500", "unknown law"},
      {"geometric", "the mean is missing"},
      {"geometric:", "the mean is not a number"},
      {"geometric:abc", "the mean is not a number"},
      {"geometric:5 ", "the mean is not a number"},
      {"geometric: 5", "the mean is not a number"},
      {"geometric:5,6", "the mean is not a number"},
      {"geometric:5:6", "the mean is not a number"},
      {"geometric:0x10", "the mean is not a number"},
      {"geometric:nan", "the mean is out of range"},
      {"geometric:inf", "the mean is out of range"},
      {"geometric:-1", "the mean is out of range"},
      {"geometric:1e400", "the mean is not a number"},
      {"geometric:1e400x", "the mean is not a number"},
      {"geometric:10000001", "the mean is out of range"},
  };
  for (const auto& [text, reason] : table) {
    try {
      parse_delay_law(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const UserError& error) {
      const std::string line = error.what();
      EXPECT_EQ(error.code(), ExitCode::usage);
      EXPECT_EQ(line.find('\n'), std::string::npos);
      EXPECT_NE(line.find("'" + std::string(text) + "'"), std::string::npos) << line;
      EXPECT_NE(line.find(reason), std::string::npos) << line;
      const bool known = std::string(text).starts_with("geometric");
      EXPECT_NE(line.find(known ? "allowed: geometric:MEAN with 0 <= MEAN <= 1e7" : "allowed: geometric mixture uniform"),
                std::string::npos)
          << line;
    }
  }
}

}  // namespace
}  // namespace dbandit::model
