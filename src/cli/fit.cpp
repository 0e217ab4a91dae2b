#include "fit/fit.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "fit/log.hpp"
#include "fit/threads.hpp"
#include "report/gnuplot.hpp"
#include "session.hpp"
#include "study/fit_options.hpp"
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

std::optional<std::string> text_of(const TextOption& option) {
  return option.value() != nullptr ? std::optional(*option.value()) : std::nullopt;
}

ExitCode fit_log(const Flags& flags) {
  const report::Style style = flags.color.style();
  if (flags.log.empty()) throw UserError("fit: a log is missing, as in 'dbandit fit clicks.csv'");
  const study::FitTexts texts{.round = text_of(flags.round),
                              .window = text_of(flags.window),
                              .end = text_of(flags.end),
                              .unit = text_of(flags.unit),
                              .columns = text_of(flags.columns),
                              .laws = text_of(flags.laws)};
  const fit::LogOptions options = study::log_options(texts);
  const auto families = study::families_of(texts);
  const fit::ThreadLimit limit(sim::thread_count({.threads = asked_threads(flags.threads)}));
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
  flags->unit.declare(command, "--unit", choice(study::unit_names()),
                      "unit of the log's times, for --round and --window with one of their own; default s", "Log");
  flags->columns.declare(command, "--columns", "ROLE=NAME,...", "names of the columns that are called otherwise, as in start=click_time",
                         "Log");
  std::vector<std::string> names;
  for (const std::string_view name : study::law_names()) names.emplace_back(name);
  flags->laws.declare(command, "--laws", Expected{Expected::Kind::list, "LAW,...", names}, "the laws to be tried; default: all", "Fit");
  flags->threads.declare(command, "--threads", "N", "threads; 0, the default, is one for each core; changes no number", "Fit");
  command.flag("--json", flags->json, "print one JSON document (dbandit.fit.v1)", "Output");
  flags->out.declare(command, "--out", folder(), "write fit.json, fit.txt, pp.csv and the P-P figure there", "Output");
  flags->color.declare(command);
  return [flags] { return fit_log(*flags); };
}

}  // namespace dbandit::cli
