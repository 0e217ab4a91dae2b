#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "dbandit/report/manifest.hpp"
#include "dbandit/sim/result.hpp"
#include "report/columns.hpp"
#include "report/csv.hpp"
#include "report/figure.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "sim/small_problem.hpp"
#include "sim/sums.hpp"
#include "sim/until.hpp"

namespace dbandit::report {
namespace {

/// n values of this mean and standard error.
stats::Moments moments(double mean, double error, double n = 100) { return {n, mean, error * error * n}; }

/// Two policies of the censored setting, one of the uncensored; regret is level · ln t, so that slopes are known.
sim::Result made_up() {
  sim::Result result{.spec = sim::small_problem(1000, {"d-ucb", "d-klucb", "ud-klucb"}, 100, {10, 100, 1000})};
  for (const double level : {3.0, 2.0, 1.0}) {
    sim::PolicyStats policy;
    for (const sim::Measure& measure : sim::kMeasures) {
      for (const double ln_t : {1.0, 2.0, 3.0}) (policy.*measure.curve).push_back(moments(level * ln_t, 0.01));
    }
    policy.pulls = {moments(900, 1), moments(100, 1)};
    policy.spread.resize(3);
    for (stats::Quantiles& spread : policy.spread) spread.add(std::vector<double>{1, 2, 4});
    result.stats.policies.push_back(policy);
  }
  result.stats.paired = {moments(3, 0.02), moments(6, 0.02), moments(3, 0.02)};
  // Regret grows by `level` when t grows tenfold: per ln t by level / ln 10. So d-ucb's slope is 3 lower bounds here.
  result.censored = {.lower = 1 / std::log(10), .ucb = 2, .klucb = 3};
  result.uncensored = {.lower = 0.5 / std::log(10), .ucb = 5, .klucb = 6};
  result.target = "scalar";
  result.threads = 2;
  result.timing = {.seconds = 2, .replica_rounds = 3e5, .policy_seconds = {1e-3, 2e-3, 3e-3}};
  return result;
}

template <class Change>
sim::Spec with(const sim::Spec& spec, Change change) {
  sim::Settings settings = *spec;
  change(settings);
  return settings;
}

/// The words of the table's row of this policy.
std::vector<std::string> row(const std::string& table, const std::string& policy) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; words >> word;) row.push_back(word);
    if (!row.empty() && row.front() == policy) return row;
  }
  return {};
}

TEST(Table, RowIsRegretLagPseudoRegretSlopeAndTime) {
  const std::string table = result_table(made_up(), {});
  using Row = std::vector<std::string>;
  // 1.984 standard errors of 0.01 for 99 degrees of freedom.
  EXPECT_EQ(row(table, "d-ucb"),
            (Row{"d-ucb", "9.000", "±", "0.020", "+3.000", "±", "0.040", "9.000", "±", "0.020", "3.00", "10.0", "ns"}));
  EXPECT_EQ(row(table, "d-klucb"), (Row{"d-klucb", "6.000", "±", "0.020", "best", "6.000", "±", "0.020", "2.00", "20.0", "ns"}));
}

TEST(Table, ComparesPoliciesOnlyWithinASettingAndWithItsOwnBound) {
  const std::vector<std::string> alone = row(result_table(made_up(), {}), "ud-klucb");
  EXPECT_EQ(alone[4], "best");
  EXPECT_EQ(alone[8], "2.00");
}

TEST(Table, FooterSaysFromWhichRoundTheSlopeIsTaken) {
  EXPECT_NE(result_table(made_up(), {}).find("from t = 100 to T"), std::string::npos);
}

TEST(Table, WithoutARoundBeforeHalfTheHorizonHasNoSlope) {
  sim::Result result = made_up();
  result.spec = with(result.spec, [](sim::Settings& late) { late.at = {600, 700, 1000}; });
  EXPECT_EQ(row(result_table(result, {}), "d-klucb")[8], "–");
}

TEST(Table, TakesTheSlopeFromHalfTheHorizonWhereThatIsRecorded) {
  sim::Result result = made_up();
  result.spec = with(result.spec, [](sim::Settings& half) { half.at = {499, 500, 1000}; });
  EXPECT_NE(result_table(result, {}).find("from t = 500 to T"), std::string::npos);
  result.spec = with(result.spec, [](sim::Settings& before) { before.at = {499, 501, 1000}; });
  EXPECT_NE(result_table(result, {}).find("from t = 499 to T"), std::string::npos);
}

TEST(Table, SaysHowFarBehindTheBestWhicheverOfTheTwoComesFirst) {
  sim::Result result = made_up();
  std::swap(result.stats.policies[0], result.stats.policies[1]);
  result.stats.paired[0].mean *= -1;
  EXPECT_EQ(row(result_table(result, {}), "d-ucb")[4], "best");
  EXPECT_EQ(row(result_table(result, {}), "d-klucb")[4], "+3.000");
}

TEST(Table, OfAPartialRunSaysSoFirst) {
  sim::Result result = made_up();
  result.complete = false;
  result.spec = with(result.spec, [](sim::Settings& longer) { longer.replicas = 5000; });
  EXPECT_TRUE(result_table(result, {}).starts_with("PARTIAL: 100 of 5000 replicas\n"));
}

TEST(Table, DigitsFollowTheInterval) {
  sim::Result result = made_up();
  result.stats.policies[0].regret.back() = moments(1234.5678, 10);
  EXPECT_EQ(row(result_table(result, {}), "d-ucb")[1], "1235");
  result.stats.policies[0].regret.back() = moments(1234.5678, 0.1);
  EXPECT_EQ(row(result_table(result, {}), "d-ucb")[1], "1234.57");
}

TEST(Columns, AlignByCharactersNotBytes) {
  const Columns columns{.align = {Align::left, Align::right}, .rows = {{"a", "b"}, {"θθθ", "1"}, {"xx", "±22"}}, .highlight = {}};
  EXPECT_EQ(columns.text({}), "a      b\nθθθ    1\nxx   ±22\n");
}

TEST(Columns, WithColourHaveTheSameTextBetweenTheCodes) {
  const Columns columns{.align = {Align::left, Align::left}, .rows = {{"a", "b"}, {"c", "d"}}, .highlight = {1}};
  EXPECT_EQ(columns.text({.color = true}), "\033[1ma  b\033[0m\n\033[32mc  d\033[0m\n");
}

TEST(Units, KeepThreeDigits) {
  EXPECT_EQ(duration_text(6.1e-9), "6.10 ns");
  EXPECT_EQ(duration_text(4.62e-6), "4.62 µs");
  EXPECT_EQ(duration_text(0.25), "250 ms");
  EXPECT_EQ(duration_text(90), "1.50 min");
  EXPECT_EQ(duration_text(9.5), "9.50 s");
  EXPECT_EQ(duration_text(86399.5), "24.0 h");
  EXPECT_EQ(duration_text(86400), "1.00 d");
  EXPECT_EQ(count_text(99.5), "99.5");
  EXPECT_EQ(count_text(100), "100");
  EXPECT_EQ(count_text(132e6), "132 M");
  EXPECT_EQ(count_text(2e9), "2.00 G");
  EXPECT_EQ(count_text(0), "0.00");
}

TEST(Csv, HasARowPerPolicyRoundAndMeasure) {
  const std::string csv = curve_csv(made_up());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 3 * 3 * 3);
  EXPECT_NE(csv.find("\nud-klucb,1000,realised_regret,3,"), std::string::npos) << csv;
}

/// What a band or a distribution has of the regrets 1, 2, …, 1000 of which q are at most so many: q · 1000, to the width of a bin.
sim::Result thousand_regrets() {
  std::vector<double> regrets(1000);
  std::iota(regrets.begin(), regrets.end(), 1);
  sim::Result result = made_up();
  for (sim::PolicyStats& policy : result.stats.policies) {
    for (stats::Quantiles& spread : policy.spread) {
      spread = {};
      spread.add(regrets);
    }
  }
  return result;
}
constexpr double kBinWidth = 1e-3;  // relative: ten bits of the mantissa

/// The numbers of the rows that begin with `start`.
std::vector<std::vector<double>> rows_after(const std::string& csv, const std::string& start) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(csv);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(start)) continue;
    std::istringstream cells(line.substr(start.size()));
    std::vector<double>& row = rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
  }
  return rows;
}

TEST(Csv, BandIsFromTenToNinetyPercentOfTheReplicasAroundTheirMedian) {
  const auto rows = rows_after(band_csv(thousand_regrets()), "d-klucb,");
  ASSERT_EQ(rows.size(), 3U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(rows[i].size(), 4U);
    EXPECT_EQ(rows[i][0], std::vector<double>({10, 100, 1000})[i]);
    EXPECT_NEAR(rows[i][1], 100, 100 * kBinWidth);
    EXPECT_NEAR(rows[i][2], 500, 500 * kBinWidth);
    EXPECT_NEAR(rows[i][3], 900, 900 * kBinWidth);
  }
}

TEST(Csv, DistributionHasEveryPercentOfTheReplicasButTheLast) {
  const auto rows = rows_after(distribution_csv(thousand_regrets()), "ud-klucb,");
  ASSERT_EQ(rows.size(), 99U);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double percent = static_cast<double>(i) + 1;
    EXPECT_EQ(rows[i][0], percent);
    EXPECT_NEAR(rows[i][1], 10 * percent, 10 * percent * kBinWidth);
  }
}

TEST(Json, FinalRegretHasTheDecilesAndTheMedian) {
  const auto json = nlohmann::json::parse(summary_json(thousand_regrets()));
  const auto& final_regret = json["policies"][1]["final_regret"];
  EXPECT_NEAR(final_regret["p10"].get<double>(), 100, 100 * kBinWidth);
  EXPECT_NEAR(final_regret["p50"].get<double>(), 500, 500 * kBinWidth);
  EXPECT_NEAR(final_regret["p90"].get<double>(), 900, 900 * kBinWidth);
}

TEST(Json, OfASequentialRunSaysHowManyLooksThereWereAndHowOftenTheLastOneMisses) {
  sim::Result result = made_up();
  EXPECT_FALSE(nlohmann::json::parse(summary_json(result)).contains("until")) << "nobody looked";
  result.spec = with(result.spec, [](sim::Settings& sequential) { sequential.until = sim::Until("regret:2%"); });
  result.precise = true;
  result.looks = 3;
  result.interval_alpha = sim::look_alpha(3);
  const auto json = nlohmann::json::parse(summary_json(result));
  const auto& until = json["until"];
  EXPECT_EQ(until["rule"], "regret:2%");
  EXPECT_EQ(until["met"], true);
  EXPECT_EQ(until["replicas"], 100);
  EXPECT_EQ(until["sequential_looks"], 3);
  EXPECT_EQ(until["alpha_of_last_look"].get<double>(), 0.05 / (3 * 4));
  // The intervals are those of that look: Student's quantile for 99 degrees of freedom at 1 - 0.05/24 is 2.933356.
  const auto& regret = json["policies"][0]["curve"][2]["regret"];
  EXPECT_NEAR(regret["ci95"][1].get<double>() - regret["mean"].get<double>(), 2.933356 * 0.01, 1e-7);
}

TEST(Json, WritesWhatIsNotFiniteAsNull) {
  sim::Result result = made_up();
  result.stats.policies[0].regret[0] = {1, 5, 0};
  result.uncensored.lower = std::numeric_limits<double>::infinity();
  const auto json = nlohmann::json::parse(summary_json(result));
  EXPECT_TRUE(json["policies"][0]["curve"][0]["regret"]["ci95"][0].is_null());
  EXPECT_TRUE(json["bounds"]["uncensored"]["lower"].is_null());
}

TEST(Json, NumbersReadBackToTheSameDoubles) {
  sim::Result result = made_up();
  result.stats.policies[0].regret[0].mean = 0.1 + 0.2;
  const auto json = nlohmann::json::parse(summary_json(result));
  EXPECT_EQ(json["policies"][0]["curve"][0]["regret"]["mean"].get<double>(), 0.1 + 0.2);
}

/// Everything that a run costs is in the manifest, so that the rest is comparable byte for byte.
TEST(Json, SummaryDoesNotDependOnTimingThreadsOrTarget) {
  sim::Result other = made_up();
  other.timing = {.seconds = 77, .replica_rounds = 1, .policy_seconds = {7, 7, 7}};
  other.threads = 9;
  other.target = "avx2";
  EXPECT_EQ(summary_json(made_up()), summary_json(other));
  EXPECT_EQ(curve_csv(made_up()), curve_csv(other));
  EXPECT_NE(manifest_json(manifest(made_up())), manifest_json(manifest(other)));
}

TEST(Manifest, NamesTheProgramAndTheMachine) {
  const Manifest made = manifest(made_up());
  EXPECT_FALSE(made.build.version.empty());
  EXPECT_FALSE(made.build.commit.empty());
  EXPECT_FALSE(made.cpu.empty());
  EXPECT_EQ(made.replica_rounds_per_second(), 1.5e5);
}

TEST(Figure, ShowsRegretsBelowZero) {
  StoredCurves result{.name = "by-arm",
                      .policies = {{.policy = "d-ucb", .mean = {{1, -2, -3, -1}, {10, 40, 30, 50}}, .band = {{10, -20, 60}}}},
                      .spec = {}};
  EXPECT_NE(regret_drawing(regret_figure({&result, 1}, "regret")).script.find("set yrange [-22:66]"), std::string::npos);
  result.policies[0] = {.policy = "d-ucb", .mean = {{1, 2, 1, 3}}, .band = {}};
  EXPECT_NE(regret_drawing(regret_figure({&result, 1}, "regret")).script.find("set yrange [0:3.3"), std::string::npos);
}

// By what every curve has a side of: the setting, else the index; where one has neither, all are in one panel.
TEST(Figure, IsDividedBySettingOrIndexWhereEveryCurveHasASide) {
  const auto titles = [](const std::vector<std::string>& policies) {
    StoredCurves result{.name = "all", .policies = {}, .spec = made_up().spec};
    for (const std::string& policy : policies) result.policies.push_back({.policy = policy, .mean = {{1, 2, 1, 3}}, .band = {}});
    std::vector<std::string> found;
    for (const auto& panel : regret_figure({&result, 1}, "regret").panels) found.push_back(panel.title);
    return found;
  };
  const std::vector<std::string> settings{"censored: conversions later than the window are lost",
                                          "uncensored: every conversion is seen in the end"};
  const std::vector<std::string> indices{"UCB index", "KL-UCB index"};
  EXPECT_EQ(titles({"d-ucb", "ud-ucb"}), settings);
  EXPECT_EQ(titles({"d-ucb", "discard-ucb", "d-klucb", "discard-klucb"}), indices);
  EXPECT_EQ(titles({"d-ucb", "d-klucb", "discard-klucb"}).size(), 1U);
  EXPECT_EQ(titles({"d-ucb", "discard-ucb", "d-klucb", "discard-klucb", "uniform"}).size(), 1U);
}

TEST(Figure, OfOneProblemHasItInItsTitleAndTheLowerBoundOfItsCurves) {
  const sim::Result result = made_up();
  StoredCurves one{.name = "one", .policies = {{.policy = "d-ucb", .mean = {{1, 2, 1, 3}}, .band = {}}}, .spec = result.spec};
  one.policies.push_back(one.policies[0]);
  const RegretFigure figure = regret_figure({&one, 1}, "regret");
  EXPECT_GT(figure.panels[0].bound, 0);
  EXPECT_NE(figure.caption.find("black dashes"), std::string::npos);
  EXPECT_EQ(figure.title, problem_text(result.spec));
  const StoredCurves two{.name = "two", .policies = one.policies, .spec = with(result.spec, [](sim::Settings& harder) {
                                                                    harder.theta = {0.5, 0.49};
                                                                  })};
  const RegretFigure mixed = regret_figure(std::vector{one, two}, "regret");
  EXPECT_EQ(mixed.panels[0].bound, 0);
  EXPECT_EQ(mixed.title, "one, two");
  EXPECT_EQ(mixed.caption.find("black dashes"), std::string::npos);
}

}  // namespace
}  // namespace dbandit::report
