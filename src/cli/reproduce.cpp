#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/sim/draft.hpp"
#include "report/csv.hpp"
#include "report/figure.hpp"
#include "report/table.hpp"
#include "session.hpp"
#include "study/claims.hpp"

namespace dbandit::cli {
namespace {

constexpr std::int64_t kQuick = 2000, kFull = 100'000;
constexpr std::array<std::string_view, 4> kFigures{"fig1", "fig2", "fig3", "all"};

struct Flags : StudyFlags {
  std::string figure = "all";
  TextOption replicas, theta, delay, censor;
  bool quick = false;
  /// Another problem than the paper's, of which the paper says nothing.
  [[nodiscard]] bool own_problem() const { return theta.value() != nullptr || delay.value() != nullptr || censor.value() != nullptr; }
};

/// The runs of a figure, on the problem that was given; with rates of one's own those that differ in theirs are one.
std::vector<study::NamedRun> chosen_runs(const Flags& flags) {
  std::vector<study::NamedRun> runs;
  for (study::NamedRun run : study::figure_runs(flags.figure)) {
    sim::SpecDraft draft;
    draft.settings = run.settings;
    for (const auto& [key, option] :
         {std::pair("theta", &flags.theta), std::pair("delay", &flags.delay), std::pair("censor", &flags.censor)}) {
      if (const std::string* text = option->value()) sim::assign(draft, key, *text);
    }
    run.settings = draft.settings;
    if (flags.theta.value() != nullptr) {
      if (std::ranges::find(runs, run.figure, &study::NamedRun::figure) != runs.end()) continue;
      run.name = run.figure + "/own";
      run.shows = run.shows.substr(0, std::min(run.shows.find(" when "), run.shows.find(", common"))) + ", rates as given";
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

std::int64_t replicas(const Flags& flags) {
  sim::SpecDraft draft;
  draft.settings.replicas = flags.quick ? kQuick : kFull;
  if (const std::string* given = flags.replicas.value()) sim::assign(draft, "replicas", *given);
  return draft.settings.replicas;
}

std::string comparison(const std::vector<study::NamedRun>& runs, const std::vector<sim::Result>& results, const report::Style& style) {
  using enum report::Align;
  report::Columns columns{
      .align = {left, left, left, right, right}, .rows = {{"figure", "rates", "policy", "regret at T", "pseudo-regret"}}, .highlight = {}};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const sim::Spec& spec = results[i].spec;
    for (std::size_t p = 0; p < spec->policies.size(); ++p) {
      const bool first = p == 0;
      const auto at_end = [&](const char* measure) {
        return report::mean_text(study::moments_at(results[i], spec->policies[p].id, measure, spec->horizon));
      };
      columns.rows.push_back({first ? runs[i].name : "", first ? fmt::format("{}", fmt::join(spec->theta, " ")) : "", spec->policies[p].id,
                              at_end("regret"), at_end("pseudo_regret")});
    }
  }
  return columns.text(style);
}

std::string verdicts(const std::vector<study::Judged>& judged, const report::Style& style) {
  report::Columns columns{
      .align = {report::Align::left, report::Align::left}, .rows = {{"what the paper says", "verdict"}}, .highlight = {}};
  for (const study::Judged& row : judged) {
    if (!row.changed()) columns.highlight.push_back(columns.rows.size());
    columns.rows.push_back({row.claim->sentence, study::verdict_text(row)});
    for (const study::Quantity& quantity : row.finding.measured) {
      columns.rows.push_back({fmt::format("  {}: {}", quantity.what, study::text(quantity.value, quantity.unit)), ""});
    }
  }
  return columns.text(style);
}

ExitCode reproduce(const Flags& flags) {
  if (const std::string* folder = flags.keep.resume()) return continue_study(*folder, "reproduce");
  const report::Style style = flags.color.style();
  if (std::ranges::find(kFigures, flags.figure) == kFigures.end()) {
    throw UserError(fmt::format("reproduce: {} is not one of: {}{}", dbandit::quoted(flags.figure), fmt::join(kFigures, " "),
                                did_you_mean(flags.figure, kFigures)));
  }
  flags.report.check();
  const std::vector<study::NamedRun> runs = chosen_runs(flags);
  std::vector<sim::Spec> specs;
  for (const study::NamedRun& run : runs) {
    sim::Settings settings = run.settings;
    settings.replicas = replicas(flags);
    specs.emplace_back(settings);
  }
  const std::string* out = flags.keep.out();
  const std::filesystem::path root = out != nullptr        ? *out
                                     : flags.own_problem() ? "out/own/paper"
                                     : flags.quick         ? "out/quick/paper"
                                                           : "results/paper";
  RunSession session(flags.keep, root);
  const auto played = run_study(specs, flags.job, flags.keep, session, true);
  if (!played) return ExitCode::done;
  const std::vector<sim::Result>& results = *played;
  study::Evidence evidence{.effort = flags.quick ? study::Effort::quick : study::Effort::full, .seed = specs.front()->seed, .runs = {}};
  std::string paths;
  std::optional<std::string> complaint;
  std::vector<std::filesystem::path> stored_in;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::filesystem::path folder = root / runs[i].name;
    report::Directory(folder).write(report::result_files(results[i], report::manifest(results[i])));
    const std::vector<report::StoredCurves> stored{report::read_curves(folder, report::kBandMeasure)};
    if (!complaint) complaint = report::draw(report::regret_drawing(report::regret_figure(stored, report::kBandMeasure)), folder, "figure");
    if (!complaint) paths += fmt::format("{}  {}\n", (folder / "figure.png").string(), style.dim(runs[i].shows));
    stored_in.push_back(folder);
    evidence.runs.emplace(runs[i].name, results[i]);
  }

  paths += flags.report.write(stored_in, root);
  const double replica_rounds = std::accumulate(results.begin(), results.end(), 0.0,
                                                [](double sum, const sim::Result& result) { return sum + result.timing.replica_rounds; });
  const double seconds = std::accumulate(results.begin(), results.end(), 0.0,
                                         [](double sum, const sim::Result& result) { return sum + result.timing.seconds; });
  std::vector<std::string> about_these;  // not those that need no run: they are the same whatever was reproduced
  for (const study::Claim& claim : study::claims()) {
    if (!claim.runs.empty()) about_these.push_back(claim.id);
  }
  const std::vector<study::Judged> judged = flags.own_problem() ? std::vector<study::Judged>() : study::judge(evidence, about_these);
  const std::string problem =
      flags.own_problem() ? report::problem_text(specs.front()) : "geometric delays of mean 500, window 1000, T = 10000";
  print(style.dim(fmt::format("{} · {} of each · ± 95 % interval · {} replica-rounds in {}", problem,
                              counted(specs.front()->replicas, "replica"), report::count_text(replica_rounds),
                              report::duration_text(seconds))) +
        "\n\n" + comparison(runs, results, style) + "\n" +
        (flags.own_problem() ? "another problem than the paper's: its claims are not judged\n" : verdicts(judged, style)) + "\n" + paths);
  if (complaint) print(*complaint + "\n");
  return ExitCode::done;
}

}  // namespace

Action declare_reproduce(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("FIGURE", flags->figure, choice(kFigures), "fig1, fig2, fig3 or all; default all");
  command.flag("--quick", flags->quick, fmt::format("{} replicas instead of {}: seconds", kQuick, kFull), "Simulation");
  flags->replicas.declare(command, "--replicas", "R", "independent repetitions of each; the paper had 100 or 200", "Simulation");
  const std::string own = "Another problem than the paper's";
  flags->theta.declare(command, "--theta", "P,P,...", "conversion rate of each arm, instead of the paper's", own);
  flags->delay.declare(command, "--delay", "LAW", "law of the delay of a conversion, instead of geometric:500", own);
  flags->censor.declare(command, "--censor", "M", "window, instead of 1000 rounds", own);
  flags->declare(
      command, "where the folders of the figures go; default results/paper, out/quick/paper when quick, out/own/paper for another problem");
  return [flags] { return reproduce(*flags); };
}

}  // namespace dbandit::cli
