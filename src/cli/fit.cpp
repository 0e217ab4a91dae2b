#include "fit/fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "core/text.hpp"
#include "fit/log.hpp"
#include "report/gnuplot.hpp"
#include "session.hpp"
#include "study/fit_report.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  std::string log;
  TextOption round, window, end, unit, columns, laws, out, threads;
  bool json = false;
  ColorFlag color;
};

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr auto kUnits = std::to_array<Unit>({{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}});

std::vector<std::string_view> unit_names() {
  std::vector<std::string_view> names;
  std::ranges::transform(kUnits, std::back_inserter(names), &Unit::name);
  return names;
}

/// The unit of the log's times.
const Unit& log_unit(const TextOption& option) {
  const std::string* name = option.value();
  const auto* unit = std::ranges::find(kUnits, name != nullptr ? std::string_view(*name) : "s", &Unit::name);
  if (unit == kUnits.end())
    throw UserError(fmt::format("--unit: {} is not one of: {}", dbandit::quoted(*name), fmt::join(unit_names(), " ")));
  return *unit;
}

/// "250" in the log's unit, or "10m" in a unit of its own.
std::optional<double> duration(const TextOption& option, std::string_view flag, const Unit& log) {
  const std::string* text = option.value();
  if (text == nullptr) return std::nullopt;
  const std::size_t digits = text->find_last_of("0123456789.") + 1;
  const std::string_view suffix = std::string_view(*text).substr(digits);
  const auto* unit = std::ranges::find(kUnits, suffix, &Unit::name);
  const double scale = suffix.empty() ? 1 : unit != kUnits.end() ? unit->seconds / log.seconds : -1;
  const double value = parse_number<double>(std::string_view(*text).substr(0, digits)).value_or(-1) * scale;
  if (!(value > 0 && value < 1e18)) {
    throw UserError(
        fmt::format("--{}: {} is not a time: a number above 0 in the log's unit, or one with a unit of its own, as in 10m (one of {})",
                    flag, dbandit::quoted(*text), fmt::join(unit_names(), " ")));
  }
  return value;
}

std::vector<fit::LogOptions::Column> columns(const TextOption& option) {
  std::vector<fit::LogOptions::Column> renamed;
  if (option.value() == nullptr) return renamed;
  constexpr std::array<std::string_view, 4> kRoles{"start", "conversion", "arm", "end"};
  for (const std::string_view pair : split(*option.value(), ',')) {
    const std::size_t equals = pair.find('=');
    const std::string_view role = pair.substr(0, equals);
    if (equals == std::string_view::npos || equals + 1 == pair.size() || std::ranges::find(kRoles, role) == kRoles.end()) {
      throw UserError(fmt::format("--columns: {} is not ROLE=NAME with a role of: {}; as in start=click_time,conversion=sale_time",
                                  dbandit::quoted(pair), fmt::join(kRoles, " ")));
    }
    renamed.push_back({std::string(role), std::string(pair.substr(equals + 1))});
  }
  return renamed;
}

std::vector<std::string_view> law_names() {
  std::vector<std::string_view> names;
  for (const fit::Family& family : fit::families()) {
    if (std::ranges::find(names, family.law) == names.end()) names.push_back(family.law);
  }
  return names;
}

/// All of them, or those that are named.
std::vector<const fit::Family*> laws(const TextOption& option) {
  std::vector<std::string_view> wanted = law_names();
  if (const std::string* text = option.value()) {
    const std::vector<std::string_view> known = wanted;
    wanted = split(*text, ',');
    for (const std::string_view name : wanted) {
      if (std::ranges::find(known, name) == known.end()) {
        throw UserError(
            fmt::format("--laws: {} is not one of: {}{}", dbandit::quoted(name), fmt::join(known, " "), did_you_mean(name, known)));
      }
    }
  }
  std::vector<const fit::Family*> chosen;
  for (const fit::Family& family : fit::families()) {
    if (std::ranges::find(wanted, family.law) != wanted.end()) chosen.push_back(&family);
  }
  return chosen;
}

ExitCode fit_log(const Flags& flags) {
  const report::Style style = flags.color.style();
  if (flags.log.empty()) throw UserError("fit: a log is missing, as in 'dbandit fit clicks.csv'");
  const Unit& unit = log_unit(flags.unit);
  fit::LogOptions options;
  options.round = duration(flags.round, "round", unit);
  options.window = duration(flags.window, "window", unit);
  options.columns = columns(flags.columns);
  if (const std::string* text = flags.end.value()) {
    options.end = parse_number<double>(*text);
    if (!options.end || !(std::abs(*options.end) < 1e18)) {
      throw UserError(fmt::format("--end: {} is not a time of the log, a number in its unit", dbandit::quoted(*text)));
    }
  }
  const auto families = laws(flags.laws);
  const int threads = sim::thread_count({.threads = asked_threads(flags.threads)});
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  const study::FittedLog fitted = study::fit_log(fit::read_log(flags.log, options), families);
  std::string written;
  if (const std::string* out = flags.out.value()) {
    report::Directory directory(*out);
    const std::vector<report::File> files{
        {"fit.json", study::fit_json(fitted)}, {"fit.txt", study::fit_table(fitted, {})}, {"pp.csv", study::fit_csv(fitted)}};
    directory.write(files);
    written = written_line(*out, files);
    if (const auto complaint = report::draw(study::fit_drawing(fitted), *out, "pp")) note("warning: " + *complaint);
  }
  print(flags.json ? study::fit_json(fitted) : study::fit_table(fitted, style));
  if (flags.out.value() != nullptr && !flags.json) print("\n" + written);
  return ExitCode::done;
}

}  // namespace

Action declare_fit(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument(
      "LOG", flags->log, file("LOG"),
      "CSV with a header: start, conversion (empty: none yet), and if you like arm and end, until when the click was observed");
  flags->round.declare(command, "--round", "TIME", "length of a round: in the log's unit, or as in 10m; default: chosen from the log",
                       "Log");
  flags->window.declare(command, "--window", "TIME", "time after a click beyond which no conversion is recorded", "Log");
  flags->end.declare(command, "--end", "TIME",
                     "until when conversions are in the log, for clicks that say nothing else; default: its latest time", "Log");
  flags->unit.declare(command, "--unit", choice(unit_names()),
                      "unit of the log's times, for --round and --window with one of their own; default s", "Log");
  flags->columns.declare(command, "--columns", "ROLE=NAME,...", "names of the columns that are called otherwise, as in start=click_time",
                         "Log");
  std::vector<std::string> names;
  for (const std::string_view name : law_names()) names.emplace_back(name);
  flags->laws.declare(command, "--laws", Expected{Expected::Kind::list, "LAW,...", names}, "the laws to be tried; default: all", "Fit");
  flags->threads.declare(command, "--threads", "N", "threads; 0, the default, is one for each core; changes no number", "Fit");
  command.flag("--json", flags->json, "print one JSON document (dbandit.fit.v1)", "Output");
  flags->out.declare(command, "--out", folder(), "write fit.json, fit.txt, pp.csv and the P-P figure there", "Output");
  flags->color.declare(command);
  return [flags] { return fit_log(*flags); };
}

}  // namespace dbandit::cli
