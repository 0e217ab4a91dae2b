#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fit/counts.hpp"

/// A log of clicks and their conversions: CSV whose header names the columns, in any order and among others.
///
///   start       when the click was, a number in any unit
///   conversion  when it converted, in the same unit; empty: not yet
///   arm         optional: what was shown, a number or a name
///   end         optional: until when a conversion of this click would have been seen; empty as without the column
///
/// Of a click that was observed for x rounds the first ⌊x⌋ count: what happened in the round that was cut off would be known only of those
/// that were quick within it. Beyond 4096 rounds an observation is cut to its 12 leading bits, at most 1/2048 of it: the likelihood of what
/// is left is exact, and a log of any length has at most some ten thousand different ones.
namespace dbandit::fit {

struct LogOptions {
  std::optional<double> round;   ///< length of a round, in the log's unit; none: chosen
  std::optional<double> end;     ///< until when conversions are in the log; none: the latest time in it
  std::optional<double> window;  ///< after which a conversion is not recorded
  struct Column {
    std::string role, name;
  };
  std::vector<Column> columns;  ///< names that differ from the above
};

struct Log {
  Counts counts;
  double round = 1;
  bool round_chosen = false;
  std::optional<double> end;           ///< where some row has none of its own
  double first = 0, last = 0;          ///< the first and the last start
  std::int64_t rows = 0;               ///< clicks in the file
  std::int64_t conversions = 0;        ///< in the file
  std::int64_t too_young = 0;          ///< clicks observed for less than a round, and those after --end: they say nothing
  std::int64_t not_counted = 0;        ///< conversions after the whole rounds that count, beyond the window or after --end
  std::int64_t longest = 0;            ///< rounds that a click was observed
  std::optional<std::int64_t> window;  ///< in whole rounds

  [[nodiscard]] std::int64_t counted() const {
    std::int64_t sum = 0;
    for (const ArmCounts& arm : counts) sum += arm.conversions();
    return sum;
  }
};

inline constexpr std::int64_t kMostRounds = 4'000'000;
inline constexpr std::size_t kMostArms = 1000;

/// Reads in blocks, on all threads, and keeps counts only. Throws UserError that names file, line and reason: a log with a bad row is not
/// read at all. "/dev/stdin" may be a pipe, which is then kept in memory.
Log read_log(const std::filesystem::path& path, const LogOptions& options);

}  // namespace dbandit::fit
