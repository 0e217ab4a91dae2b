#include "fit/log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <unordered_map>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"

namespace dbandit::fit {
namespace {

constexpr std::size_t kBlock = 4 << 20, kLongestLine = 64 << 10;
constexpr std::size_t kLargestPipe = std::size_t{4} << 30;
constexpr double kLatest = 1e18;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kBeyond = 2.0 * static_cast<double>(kMostRounds);  // of rounds that are too many it need not be known how many

/// A file that stays as it is while it is read several times, block by block: a regular one, or a pipe that is kept.
class Source {
 public:
  explicit Source(const std::filesystem::path& path) : path_(path) {
    if (path == "/dev/stdin") {
      Input input = read_input(path, kLargestPipe);
      if (!input.wrong.empty()) refuse(input.wrong);
      kept_ = std::move(input.bytes);
      size_ = kept_.size();
      return;
    }
    file_ = Descriptor(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (!file_.is_open() || ::fstat(file_.get(), &status_) != 0) {
      refuse("cannot be read: " + std::generic_category().message(errno));
    }
    if (S_ISDIR(status_.st_mode)) refuse("is a folder");
    if (S_ISFIFO(status_.st_mode)) refuse("is a pipe; send it to /dev/stdin");
    if (!S_ISREG(status_.st_mode)) refuse("is not a regular file");
    size_ = static_cast<std::size_t>(status_.st_size);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[noreturn]] void refuse(const std::string& why) const { throw UserError(fmt::format("{}: {}", dbandit::quoted(path_.string()), why)); }

  /// Bytes [from, to), fewer at the end of the file; `buffer` holds them where they are not kept.
  std::string_view bytes(std::size_t from, std::size_t to, std::string& buffer) const {
    to = std::min(to, size_);
    if (!file_.is_open()) return std::string_view(kept_).substr(from, to - from);
    buffer.resize(to - from);
    for (std::size_t got = 0; got < buffer.size();) {
      const ssize_t n = ::pread(file_.get(), buffer.data() + got, buffer.size() - got, static_cast<off_t>(from + got));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) refuse("cannot be read: " + std::generic_category().message(errno));
      if (n == 0) refuse("became shorter while it was read");
      got += static_cast<std::size_t>(n);
    }
    return buffer;
  }
  void check_unchanged() const {
    struct stat now {};
    if (!file_.is_open()) return;
    const bool same = ::fstat(file_.get(), &now) == 0 && now.st_size == status_.st_size && now.st_mtim.tv_sec == status_.st_mtim.tv_sec &&
                      now.st_mtim.tv_nsec == status_.st_mtim.tv_nsec;
    if (!same) refuse("was written to while it was read");
  }

 private:
  std::filesystem::path path_;
  Descriptor file_;
  struct stat status_ {};
  std::string kept_;
  std::size_t size_ = 0;
};

enum Role : std::size_t { kStart, kConversion, kArm, kEnd, kRoles };
constexpr std::array<std::string_view, kRoles> kRoleNames{"start", "conversion", "arm", "end"};

std::string_view unquoted(std::string_view cell) {
  cell = trimmed(cell);
  if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
  return cell;
}

/// Where the columns are.
struct Heading {
  std::array<std::size_t, kRoles> at;  ///< npos: not there
  std::size_t cells = 0;
  char separator = ',';
  std::size_t length = 0;  ///< in bytes, with the end of its line
  static constexpr std::size_t npos = std::string_view::npos;
  [[nodiscard]] bool has(Role role) const { return at[role] != npos; }
};

/// The next cell of a line, which it is taken from; separators between quotes are text.
std::string_view next_cell(std::string_view& line, char separator) {
  std::size_t end = 0;
  for (bool quoted = false; end < line.size() && (quoted || line[end] != separator); ++end) quoted ^= line[end] == '"';
  const std::string_view cell = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return cell;
}

Heading read_heading(const Source& source, const std::vector<LogOptions::Column>& renamed) {
  std::string buffer;
  const std::string_view beginning = source.bytes(0, kLongestLine, buffer);
  const std::size_t end = beginning.find('\n');
  if (beginning.empty()) source.refuse("is empty");
  if (end == std::string_view::npos && beginning.size() == kLongestLine) source.refuse("line 1: is longer than 65536 bytes");
  Heading heading;
  heading.length = std::min(end, beginning.size() - 1) + 1;
  std::string_view line = beginning.substr(0, heading.length);
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  line = trimmed(line);
  for (const char separator : {',', '\t', ';'}) {
    heading.separator = separator;
    if (line.find(separator) != std::string_view::npos) break;
  }
  if (line.find(heading.separator) == std::string_view::npos) heading.separator = ',';
  std::vector<std::string_view> names;
  while (!line.empty()) names.push_back(unquoted(next_cell(line, heading.separator)));
  heading.cells = names.size();
  for (std::size_t role = 0; role < kRoles; ++role) {
    std::string name(kRoleNames[role]);
    bool named = role == kStart || role == kConversion;
    for (const auto& column : renamed) {
      if (column.role == kRoleNames[role]) {
        name = column.name;
        named = true;
      }
    }
    const auto found = std::ranges::find(names, name);
    heading.at[role] = found == names.end() ? Heading::npos : static_cast<std::size_t>(found - names.begin());
    if (found == names.end() && named) {
      source.refuse(fmt::format("line 1: no column is called '{}'{}; --columns {}=NAME says which one it is", name,
                                did_you_mean(name, names), kRoleNames[role]));
    }
    if (found != names.end() && std::find(found + 1, names.end(), name) != names.end()) {
      source.refuse(fmt::format("line 1: two columns are called '{}'", name));
    }
  }
  return heading;
}

struct Row {
  double start, conversion, end;  ///< infinite: none
  std::string_view arm;
};

std::optional<double> time(std::string_view cell) {
  double value = 0;
  const auto [stop, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || stop != cell.data() + cell.size() || !(std::abs(value) <= kLatest)) return std::nullopt;
  return value;
}

/// Why a row is bad; empty when it is not.
std::string read_row(std::string_view line, const Heading& heading, Row& row) {
  std::array<std::string_view, kRoles> cells;
  std::size_t count = 0;
  if (std::memchr(line.data(), '"', line.size()) == nullptr) {
    for (std::size_t from = 0; from <= line.size(); ++count) {
      const void* const found = std::memchr(line.data() + from, heading.separator, line.size() - from);
      const std::size_t end = found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - line.data()) : line.size();
      for (std::size_t role = 0; role < kRoles; ++role) {
        if (heading.at[role] == count) cells[role] = line.substr(from, end - from);
      }
      from = end + 1;
    }
  } else {
    for (bool more = true; more; ++count) {
      const std::size_t before = line.size();
      const std::string_view cell = next_cell(line, heading.separator);
      more = before > cell.size();
      for (std::size_t role = 0; role < kRoles; ++role) {
        if (heading.at[role] == count) cells[role] = cell;
      }
    }
  }
  if (count != heading.cells) {
    return fmt::format("{} cell{} where the header has {}", count, count == 1 ? "" : "s", heading.cells);
  }
  row = {0, kInfinite, kInfinite, unquoted(cells[kArm])};
  const auto read = [&](Role role, double& into) -> std::string {
    const std::string_view cell = unquoted(cells[role]);
    if (cell.empty() && role != kStart) return {};
    const auto value = time(cell);
    if (!value) {
      return fmt::format("{}: {} is not a number{}", kRoleNames[role], dbandit::quoted(cell),
                         role == kConversion ? "; leave it empty where there was none" : "");
    }
    into = *value;
    return {};
  };
  for (const auto& [role, into] : {std::pair{kStart, &row.start}, {kConversion, &row.conversion}, {kEnd, &row.end}}) {
    if (std::string wrong = read(role, *into); !wrong.empty()) return wrong;
  }
  if (row.conversion < row.start) return fmt::format("the conversion, at {}, is before the start, at {}", row.conversion, row.start);
  if (row.end < row.start) return fmt::format("the end, at {}, is before the start, at {}", row.end, row.start);
  if (row.conversion != kInfinite && row.conversion > row.end) {
    return fmt::format("the conversion, at {}, is after the end, at {}", row.conversion, row.end);
  }
  if (heading.has(kArm) && row.arm.empty()) return "arm: is empty";
  return {};
}

/// Calls `each` for the lines that begin in block `index`, and says how many they are.
template <class Each>
std::int64_t lines_of_block(const Source& source, std::size_t first_byte, std::size_t index, std::string& buffer, Each each) {
  const std::size_t from = first_byte + index * kBlock, to = std::min(from + kBlock, source.size());
  // One byte more before, to see whether a line begins here, and a line more behind.
  const std::string_view bytes = source.bytes(from - 1, to + kLongestLine, buffer);
  const std::size_t own = to - (from - 1);
  std::int64_t lines = 0;
  std::size_t at = 0;
  if (bytes[0] != '\n') {  // the line goes on from the block before, which reads it
    const void* const end = std::memchr(bytes.data() + 1, '\n', bytes.size() - 1);
    at = end != nullptr ? static_cast<std::size_t>(static_cast<const char*>(end) - bytes.data()) : bytes.size();
  }
  for (++at; at < own;) {
    const void* const found = std::memchr(bytes.data() + at, '\n', bytes.size() - at);
    const std::size_t end = found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) : bytes.size();
    const bool too_long = end - at > kLongestLine - 2 || (found == nullptr && from - 1 + bytes.size() < source.size());
    std::string_view line = bytes.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    each(lines++, line, too_long);
    at = end + 1;
  }
  return lines;
}

struct BadRow {
  std::int64_t line = -1;  ///< within its block
  std::string why;
};

/// Every row of the log to a state of the thread's own. Throws for the first bad row of the file.
template <class State, class Each>
void for_each_row(const Source& source, const Heading& heading, tbb::enumerable_thread_specific<State>& states, Each each) {
  if (source.size() <= heading.length) source.refuse("has no rows below its header");
  const std::size_t blocks = (source.size() - heading.length + kBlock - 1) / kBlock;
  std::vector<std::int64_t> lines(blocks, 0);
  std::vector<BadRow> bad(blocks);
  std::atomic<std::int64_t> bad_rows = 0;
  tbb::enumerable_thread_specific<std::string> buffers;
  tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t block) {
    State& state = states.local();
    lines[block] =
        lines_of_block(source, heading.length, block, buffers.local(), [&](std::int64_t line, std::string_view text, bool too_long) {
          Row row;
          std::string wrong;
          if (too_long) {
            wrong = "is longer than 65536 bytes";
          } else if (trimmed(text).empty()) {
            return;
          } else {
            wrong = read_row(text, heading, row);
          }
          if (wrong.empty()) return each(state, row);
          ++bad_rows;
          if (bad[block].line < 0) bad[block] = {line, std::move(wrong)};
        });
  });
  source.check_unchanged();
  std::int64_t before = 1;  // the header
  for (std::size_t block = 0; block < blocks; before += lines[block++]) {
    if (bad[block].line < 0) continue;
    const std::int64_t others = bad_rows - 1;
    source.refuse(fmt::format("line {}: {}{}; nothing was read", before + bad[block].line + 1, bad[block].why,
                              others > 0 ? fmt::format(" ({} more bad row{})", others, others == 1 ? "" : "s") : ""));
  }
}

/// What the choice of a round and of the end needs to know.
struct Survey {
  double latest = -kInfinite;          ///< of all times
  double earliest_open = kInfinite;    ///< start of a click without an end of its own
  double longest_closed = -kInfinite;  ///< end − start of those with one
  bool whole = true;                   ///< every start and conversion is a whole number
  void add(const Row& row) {
    whole = whole && row.start == std::floor(row.start) && (row.conversion == kInfinite || row.conversion == std::floor(row.conversion));
    latest = std::max(latest, row.start);
    if (row.conversion != kInfinite) latest = std::max(latest, row.conversion);
    if (row.end == kInfinite) {
      earliest_open = std::min(earliest_open, row.start);
    } else {
      longest_closed = std::max(longest_closed, row.end - row.start);
    }
  }
  void add(const Survey& other) {
    latest = std::max(latest, other.latest);
    earliest_open = std::min(earliest_open, other.earliest_open);
    longest_closed = std::max(longest_closed, other.longest_closed);
    whole = whole && other.whole;
  }
};

/// 1 where that makes hundred to hundred thousand rounds of the longest observation; else the least of 1, 2, 5 times a power of ten that
/// makes at most ten thousand. Not below 1 where all times are whole numbers: between them is nothing.
double chosen_round(double longest, bool whole) {
  if (longest <= 0 || ((whole || longest >= 100) && longest <= 100'000)) return 1;
  double power = std::pow(10.0, std::floor(std::log10(longest / 10'000)));
  for (;; power *= 10) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      if (longest / (digit * power) <= 10'000) return digit * power;
    }
  }
}

/// Whole rounds in a stretch of them; negative where it ended before it began. Times are decimal numbers, and 0.3/0.1 falls short of 3.
std::int64_t whole(double rounds) { return static_cast<std::int64_t>(std::floor(std::clamp(rounds, -1.0, kBeyond) + 1e-6)); }

/// Cut to its 12 leading bits: to end an observation at a time that does not depend on what it shows is always allowed.
std::int64_t cut(std::int64_t rounds) {
  const int extra = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(0, rounds))) - 12;
  return extra > 0 ? rounds >> extra << extra : rounds;
}

/// A count's address: arm, what is counted, rounds.
enum Kind : std::uint64_t { kDelay, kWaiting, kObserved };
constexpr int kKindShift = 42, kArmShift = 44;
std::uint64_t key(std::uint64_t arm, Kind kind, std::int64_t rounds) {
  return arm << kArmShift | kind << kKindShift | static_cast<std::uint64_t>(rounds);
}

/// What a thread has counted: keys of its own arms, sorted now and then, so that memory is that of the distinct ones.
struct Tally {
  std::unordered_map<std::string, std::uint64_t> arms;
  std::string last_arm;
  std::uint64_t last_index = 0;
  std::vector<std::uint64_t> keys;
  std::vector<std::pair<std::uint64_t, std::int64_t>> sorted;
  std::int64_t rows = 0, conversions = 0, too_young = 0, not_counted = 0, longest = 0;
  double first = kInfinite, last = -kInfinite;
  bool too_many_arms = false;

  std::uint64_t index(std::string_view arm) {
    if (arm == last_arm && !arms.empty()) return last_index;
    last_arm = arm;
    if (arms.size() > kMostArms) too_many_arms = true;
    last_index = too_many_arms ? 0 : arms.try_emplace(last_arm, arms.size()).first->second;
    return last_index;
  }
  void add(std::uint64_t one) {
    keys.push_back(one);
    if (keys.size() >= std::size_t{1} << 20) settle();
  }
  void settle() {
    std::ranges::sort(keys);
    std::vector<std::pair<std::uint64_t, std::int64_t>> merged;
    auto old = sorted.begin();
    for (std::size_t i = 0; i < keys.size();) {
      const std::uint64_t value = keys[i];
      const std::size_t from = i;
      while (i < keys.size() && keys[i] == value) ++i;
      for (; old != sorted.end() && old->first < value; ++old) merged.push_back(*old);
      merged.emplace_back(value, static_cast<std::int64_t>(i - from));
      if (old != sorted.end() && old->first == value) merged.back().second += (old++)->second;
    }
    merged.insert(merged.end(), old, sorted.end());
    sorted = std::move(merged);
    keys.clear();
  }
};

/// Numbers by their size, then names.
bool before(const std::string& a, const std::string& b) {
  const auto x = parse_number<double>(a), y = parse_number<double>(b);
  if (x && y && *x != *y) return *x < *y;
  if (x.has_value() != y.has_value()) return x.has_value();
  return a < b;
}

}  // namespace

Log read_log(const std::filesystem::path& path, const LogOptions& options) {
  const Source source(path);
  const Heading heading = read_heading(source, options.columns);
  Log log;
  log.end = options.end;
  if (!options.end || !options.round) {
    tbb::enumerable_thread_specific<Survey> surveys;
    for_each_row(source, heading, surveys, [](Survey& survey, const Row& row) { survey.add(row); });
    Survey all;
    surveys.combine_each([&](const Survey& one) { all.add(one); });
    if (!options.end && all.earliest_open < kInfinite) log.end = all.latest;
    double longest = std::max(all.longest_closed, log.end ? *log.end - all.earliest_open : -kInfinite);
    if (options.window) longest = std::min(longest, *options.window);
    log.round_chosen = !options.round;
    log.round = options.round.value_or(chosen_round(longest, all.whole));
  } else {
    log.round = *options.round;
  }
  if (options.window) {
    log.window = whole(*options.window / log.round);
    if (*log.window < 1) throw UserError(fmt::format("--window: {} is shorter than a round of {}", *options.window, log.round));
  }

  tbb::enumerable_thread_specific<Tally> tallies;
  const double end = log.end.value_or(kInfinite);
  for_each_row(source, heading, tallies, [&](Tally& tally, const Row& row) {
    ++tally.rows;
    tally.first = std::min(tally.first, row.start);
    tally.last = std::max(tally.last, row.start);
    const bool converted = row.conversion != kInfinite;
    if (converted) ++tally.conversions;
    const std::uint64_t arm = tally.index(row.arm);
    const double rounds = ((row.end == kInfinite ? end : row.end) - row.start) / log.round;
    std::int64_t observed = whole(rounds);
    if (log.window) observed = std::min(observed, *log.window);
    observed = cut(observed);
    tally.longest = std::max(tally.longest, observed);
    const std::int64_t delay = converted ? whole((row.conversion - row.start) / log.round) : 0;
    const bool seen = converted && delay < observed;
    if (converted && !seen) ++tally.not_counted;
    if (observed < 1) {
      ++tally.too_young;
      return;
    }
    if (seen) tally.add(key(arm, kDelay, delay));
    if (!seen) tally.add(key(arm, kWaiting, observed));
    tally.add(key(arm, kObserved, observed));
  });

  log.first = kInfinite;
  log.last = -kInfinite;
  std::map<std::string, ArmCounts, decltype(&before)> arms(before);
  using Cells = std::map<std::int64_t, std::int64_t>;
  std::map<std::string, std::array<Cells, 3>> cells;
  tallies.combine_each([&](Tally& tally) {
    tally.settle();
    log.first = std::min(log.first, tally.first);
    log.last = std::max(log.last, tally.last);
    log.rows += tally.rows;
    log.conversions += tally.conversions;
    log.too_young += tally.too_young;
    log.not_counted += tally.not_counted;
    log.longest = std::max(log.longest, tally.longest);
    if (tally.too_many_arms) source.refuse(fmt::format("has more than {} different arms; is '{}' the arm?", kMostArms, kRoleNames[kArm]));
    std::vector<std::string> names(tally.arms.size());
    for (const auto& [name, index] : tally.arms) names[index] = name;
    for (const std::string& name : names) cells.try_emplace(name);
    std::size_t current = names.size();
    std::array<Cells, 3>* into = nullptr;
    for (const auto& [value, count] : tally.sorted) {
      const std::size_t arm = value >> kArmShift;
      if (arm != current) {
        current = arm;
        into = &cells[names[arm]];
      }
      (*into)[value >> kKindShift & 3][static_cast<std::int64_t>(value & ((std::uint64_t{1} << kKindShift) - 1))] += count;
    }
  });
  if (cells.size() > kMostArms)
    source.refuse(fmt::format("has more than {} different arms; is '{}' the arm?", kMostArms, kRoleNames[kArm]));
  if (log.longest > kMostRounds) {
    throw UserError(
        fmt::format("--round: with rounds of {} a click was observed for more than {} rounds; give a longer one", log.round, kMostRounds));
  }
  const auto list = [](const Cells& counts) {
    std::vector<Count> all;
    for (const auto& [rounds, count] : counts) all.push_back({rounds, count});
    return all;
  };
  for (const auto& [name, kinds] : cells) {
    arms[name] = {name, list(kinds[kDelay]), list(kinds[kWaiting]), list(kinds[kObserved])};
  }
  for (auto& [name, counts] : arms) log.counts.push_back(std::move(counts));
  if (log.counted() == 0) {
    source.refuse(
        fmt::format("no conversion was seen within the whole rounds of its observation ({} rows, {} conversions, rounds of {}): "
                    "there is nothing to fit",
                    log.rows, log.conversions, log.round));
  }
  return log;
}

}  // namespace dbandit::fit
