#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/report/directory.hpp"
#include "dbandit/sim/result.hpp"
#include "report/columns.hpp"
#include "report/gnuplot.hpp"
#include "study/evidence.hpp"
#include "study/interval.hpp"

/// Asymptotics, seen: how fast regret grows per ln T, decade by decade and within the replica, next to what the theory says of the limit.
namespace dbandit::study {

/// growth: one policy over decades. crossing: UCB against KL-UCB where their constants favour UCB. remainder: one horizon, delays and
/// windows of several lengths.
enum class SlopePart { growth, crossing, remainder };

struct SlopeRun {
  SlopePart part;
  std::string problem;  ///< in words
  sim::Spec spec;
};

/// Up to T = 10^8, 10^9 where conversions are rare; quick: 10^6.
std::vector<SlopeRun> slope_runs(Effort effort);

/// What a policy of this run grows by per ln T in the limit: its own constant, not the lower bound.
double limiting_slope(const sim::Result& result, const sim::Policy& policy);

/// One policy's growth per ln T between neighbours of the recorded rounds.
struct GrowthLine {
  std::string problem, policy;
  double epsilon = 0, lower = 0, limit = 0;
  std::vector<std::int64_t> rounds;
  std::vector<Interval> growth;  ///< one fewer
};
std::vector<GrowthLine> growth_lines(std::span<const SlopeRun> runs, std::span<const sim::Result> results);

/// Where three numbers tend to if their steps keep shrinking by the same factor (Aitken). None where the last step is not the shorter one
/// of two in the same direction. The errors of all three add as they are.
std::optional<Interval> tends_to(const Interval& first, const Interval& second, const Interval& third);

/// The round at which a difference that rises with t becomes positive: bisection over the recorded rounds, then linear in ln t. Its
/// interval is where the difference's own includes zero. 0, or infinity, where that is before the first, or after the last.
Interval crossing(std::span<const std::int64_t> rounds, std::span<const Interval> difference);

std::string slopes_table(std::span<const SlopeRun> runs, std::span<const sim::Result> results, const report::Style& style);
std::string slopes_json(std::span<const SlopeRun> runs, std::span<const sim::Result> results);
/// README.md, slopes.csv, crossing.csv, remainder.csv, slopes.json; `command` is what was typed.
std::vector<report::File> slopes_files(std::span<const SlopeRun> runs, std::span<const sim::Result> results, std::string_view command);
/// Growth over the limit against T, a panel per problem.
inline constexpr std::string_view kSlopesHeading =
    "problem,policy,epsilon,from,to,growth_per_ln_t,ci_low,ci_high,lower_bound,limit";  ///< of slopes.csv
report::Drawing slopes_drawing(std::vector<GrowthLine> lines);
/// The lines that slopes.csv of a folder holds, of the problems that `dbandit slopes` draws. Throws UserError that names the file.
std::vector<GrowthLine> read_growth_lines(const std::filesystem::path& folder);

// For the texts and tests.
struct Crossing {
  std::string a, b;  ///< a's regret minus b's
  std::vector<std::int64_t> rounds;
  std::vector<Interval> difference;
  Interval round;
};
std::vector<Crossing> crossings(std::span<const SlopeRun> runs, std::span<const sim::Result> results);

struct Remainder {
  std::string policy;
  double mean_delay = 0;
  std::optional<std::int64_t> window;
  Interval regret, beyond;  ///< at T, and beyond the leading term
};
std::vector<Remainder> remainders(std::span<const SlopeRun> runs, std::span<const sim::Result> results);

}  // namespace dbandit::study
