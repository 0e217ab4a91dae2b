#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/columns.hpp"
#include "report/gnuplot.hpp"
#include "report/json_value.hpp"

/// What `dbandit bench` found, and how it is told: summary.json, README.md and plots.
namespace dbandit::bench {

/// Median and quartiles.
struct Spread {
  double median = 0, low = 0, high = 0;
  std::size_t n = 0;
};
Spread spread(std::vector<double> values);
/// {median, spread: [low, high], n}, and back; throws report::Json::Error.
report::Json spread_json(const Spread& spread);
Spread read_spread(const report::Json& json);

enum class Better { higher, lower };

/// Two times per item measured side by side; names are fixed, other tools rely on them.
struct Ratio {
  struct Side {
    std::string of;
    double nanoseconds = 0;  ///< median, per item
  };
  std::string name, what;
  Better better = Better::higher;
  std::optional<double> target;
  std::optional<Spread> value;  ///< none: this machine has no such ratio
  std::string reason;           ///< why not
  Side numerator, denominator;
  /// Whether the target is reached; none without target or value.
  [[nodiscard]] std::optional<bool> met() const;
};

/// Replica-rounds per second of a policy, one thread.
struct Rate {
  std::string policy;
  Spread per_second;
  double target = 0;
};

/// Where the nanoseconds of a replica-round go.
struct Breakdown {
  std::string of;                                           ///< a policy, or the problem on which d-klucb leaps
  std::vector<std::pair<std::string, double>> nanoseconds;  ///< by stage, in the order of a round
  double decided_exactly = 0;                               ///< share of decisions that the filter left to exact indices
  double rounds_per_look = 0;                               ///< 0: every round is looked at
};

/// What bench_ratios prints.
struct Ratios {
  std::string target;     ///< the instruction set of all figures unless said
  double taken_away = 0;  ///< share of the wall time of single-threaded work in which it did not run
  std::vector<Ratio> ratios;
  std::vector<Rate> rates;
  std::vector<Breakdown> breakdowns;  ///< round by round
  std::vector<Breakdown> leaps;
};
Ratios read_ratios(std::string_view json);

/// A measurement of Google Benchmark: its repetitions, per item.
struct Measurement {
  std::string name;    ///< "engine/d-klucb/censored/avx2/K3"
  Spread nanoseconds;  ///< CPU time; of several threads the wall's
  std::map<std::string, double> counters;
};
/// Throws std::runtime_error when one of them differed from the reference.
std::vector<Measurement> read_measurements(std::string_view google_json);
/// The document without its aggregates, which the repetitions imply, and without the names of the machine and its folders; one
/// repetition a line.
std::string raw_measurements(std::string_view google_json);

/// A finished run of all benchmarks.
struct Throughput {
  std::string command;
  std::string cpu;
  int cores = 0;
  double seconds = 0;
  double load_before = 0, load_after = 0;  ///< average over a minute
  Ratios ratios;
  std::vector<Measurement> measurements;
};

/// Why the figures should not be trusted; empty when the machine was quiet.
std::string busy_warning(const Throughput& found);

/// dbandit.bench.v1: the ratios under their names at the top, each {median, spread: [quartiles], n, …}.
std::string throughput_json(const Throughput& found);
/// `plots`: the files that were drawn.
std::string throughput_readme(const Throughput& found, std::span<const std::string> plots);
/// The ratios and rates for a terminal.
std::string throughput_table(const Throughput& found, const report::Style& style);

struct Plot {
  std::string stem;  ///< "exposure"
  report::Drawing drawing;
};
std::vector<Plot> throughput_plots(const Throughput& found);

/// The m from which on the recursion is faster than the buffer, between measured ones by interpolation; none when it always is.
std::optional<double> crossover(const Throughput& found);

}  // namespace dbandit::bench
