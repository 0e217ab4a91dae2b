#include "studies.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "dbandit/core/error.hpp"
#include "fit/threads.hpp"
#include "guest.hpp"
#include "held_result.hpp"
#include "report/json.hpp"
#include "report/page.hpp"
#include "report/stored.hpp"
#include "report/table.hpp"
#include "report/trace.hpp"
#include "runner.hpp"
#include "study/claims.hpp"
#include "study/compare.hpp"
#include "study/fit_options.hpp"
#include "study/fit_report.hpp"
#include "study/job_cost.hpp"
#include "study/sweep.hpp"

namespace py = pybind11;

namespace dbandit::python {
namespace {

using File = std::optional<std::string>;
/// A document for programs, JSON or CSV, and the text that the program prints.
using Document = std::pair<std::string, std::string>;

Document bounds(const File& file, const Texts& texts) {
  const sim::Spec spec = sim::problem_spec(draft_of(file, texts, {}));
  const model::Problem problem = spec.problem();
  return {report::bounds_json(problem, spec->censor, spec->epsilon), report::bounds_table(problem, spec->censor, spec->epsilon, {})};
}

Document plan(const File& file, const Texts& texts, const std::vector<std::string>& vary, int threads) {
  study::JobCost cost;
  const sim::SpecDraft draft = draft_of(file, texts, {});
  if (vary.empty()) {
    cost.specs.emplace_back(draft);
  } else {
    for (study::Cell& cell : study::cells(draft, study::parse_axes(vary))) cost.specs.push_back(std::move(cell.spec));
  }
  for (const sim::Policy& policy : cost.specs.front()->policies) {
    if (policy.is_guest()) {
      throw UserError(
          fmt::format("--policies: '{}' is a policy of your own; allowed are those of the catalogue, whose time is known", policy.id));
    }
  }
  const py::gil_scoped_release release;
  study::ask_machine(cost, threads, nullptr);
  cost.forecast = sim::forecast(cost.specs, cost.threads, nullptr);
  return {study::cost_json(cost), study::cost_text(cost, {})};
}

/// The third is the lines of a spec.
std::tuple<std::string, std::string, std::string> fit_log(const std::string& log, const Texts& texts, int threads) {
  const auto text = [&](const char* key) {
    const auto found = texts.find(key);
    return found != texts.end() ? std::optional(found->second) : std::nullopt;
  };
  const study::FitTexts said{.round = text("round"),
                             .window = text("window"),
                             .end = text("end"),
                             .unit = text("unit"),
                             .columns = text("columns"),
                             .laws = text("laws")};
  const fit::LogOptions options = study::log_options(said);
  const auto families = study::families_of(said);
  const fit::ThreadLimit limit(sim::thread_count({.threads = threads}));
  const py::gil_scoped_release release;
  const study::FittedLog fitted = study::fit_log(fit::read_log(log, options), families);
  return {study::fit_json(fitted), study::fit_table(fitted, {}), study::spec_lines(fitted)};
}

std::vector<std::tuple<std::string, std::string, std::string>> claim_list() {
  std::vector<std::tuple<std::string, std::string, std::string>> rows;
  for (const study::Claim& claim : study::claims()) rows.emplace_back(claim.id, claim.source, claim.sentence);
  return rows;
}

Document claims(const std::vector<std::string>& ids, bool quick, const Texts& texts, int threads, const py::object& progress) {
  const sim::SpecDraft draft = draft_of({}, texts, {});  // the seed alone
  study::Evidence evidence{.effort = quick ? study::Effort::quick : study::Effort::full, .seed = draft.settings.seed, .runs = {}};
  const std::vector<study::NamedRun> runs = study::runs_for(ids);
  std::vector<sim::Result> results;
  if (!runs.empty()) results = play(study::specs_for(runs, evidence), {}, threads, progress);
  for (std::size_t i = 0; i < runs.size(); ++i) evidence.runs.emplace(runs[i].name, std::move(results[i]));
  const py::gil_scoped_release release;
  const std::vector<study::Judged> judged = study::judge(evidence, ids);
  return {study::claims_json(judged, evidence), study::claims_table(judged, {})};
}

/// Answers from memory when it is asked again: the policy is Python's, and is asked once.
sim::Guest remembering(sim::Guest guest) {
  struct Memory {
    std::size_t at = 0, passes = 0;
    std::vector<std::vector<double>> answers;
  };
  const auto memory = std::make_shared<Memory>();
  sim::Guest other{.name = guest.name, .choose = {}};
  other.start = [memory, start = guest.start](const sim::GuestStart& block) {
    memory->at = 0;
    if (memory->passes++ == 0 && start) start(block);
  };
  other.choose = [memory, choose = guest.choose](const sim::GuestView& view, std::span<double> indices) {
    if (memory->passes == 1) {
      choose(view, indices);
      memory->answers.emplace_back(indices.begin(), indices.end());
    } else {
      std::ranges::copy(memory->answers[memory->at++], indices.begin());
    }
  };
  other.observe = [memory, observe = guest.observe](const sim::GuestRound& round) {
    if (memory->passes == 1 && observe) observe(round);
  };
  return other;
}

Document trace(const File& file, const Texts& texts, const Functions& functions, std::int64_t replica, std::int64_t first,
               std::int64_t last) {
  if (replica < 0) throw UserError(fmt::format("--replica: {} is not an integer from 0", replica));
  if (first < 1 || last < first || last > report::kMostTraced) {
    throw UserError(
        fmt::format("--rounds: {}, {} is not LAST or (FIRST, LAST) with 1 <= FIRST <= LAST <= {}", first, last, report::kMostTraced));
  }
  report::Rounds rounds{.replica = static_cast<std::uint64_t>(replica), .first = first, .last = last};
  const sim::Spec spec = report::trace_spec(draft_of(file, texts, functions), rounds);
  const auto heartbeat = std::make_shared<PythonHeartbeat>(py::none());
  std::vector<sim::Guest> guests;
  for (const auto& [name, policy] : functions) {
    guests.push_back(remembering(python_guest(name, policy, heartbeat, std::make_shared<Played>())));
  }
  return {report::trace_csv(spec, rounds, guests), report::trace_table(spec, rounds, {}, guests)};
}

py::tuple sweep(const File& file, const Texts& texts, const Functions& functions, const std::vector<std::string>& vary, int threads,
                const py::object& progress) {
  study::Sweep sweep;
  sweep.axes = study::parse_axes(vary);
  sweep.cells = study::cells(draft_of(file, texts, functions), sweep.axes);
  std::vector<sim::Spec> specs;
  for (const study::Cell& cell : sweep.cells) specs.push_back(cell.spec);
  sweep.results = play(std::move(specs), functions, threads, progress);
  py::list axes, results;
  for (const study::Axis& axis : sweep.axes) axes.append(py::make_tuple(std::string(axis.knob->name), axis.values));
  py::dict files;
  for (const report::File& made : study::sweep_files(sweep)) files[py::str(made.name)] = py::bytes(made.content);
  const std::string table = study::sweep_table(sweep, {});
  for (sim::Result& result : sweep.results) results.append(py::cast(std::make_unique<HeldResult>(std::move(result))));
  return py::make_tuple(axes, results, files, table);
}

Document compare(const std::string& folder_a, const std::string& folder_b, double threshold) {
  const report::StoredResult a = report::read_result(folder_a), b = report::read_result(folder_b);
  const study::Comparison comparison = study::compare(a, b);
  return {study::comparison_json(comparison, a, b, threshold), study::comparison_text(comparison, a, b, threshold, {})};
}

std::string page(const std::string& folder) {
  const report::PageAssets* const assets = report::page_assets();
  if (assets == nullptr) throw UserError(fmt::format("report: {}", report::kNoPage));
  const std::filesystem::path path(folder);
  const report::PageSection section =
      std::filesystem::exists(path / "sweep.csv") ? study::read_sweep_section(path) : report::read_section(path);
  return report::page_html({&section, 1}, *assets);
}

}  // namespace

void declare_studies(py::module_& module) {
  module.def("bounds", &bounds);
  module.def("plan", &plan);
  module.def("fit", &fit_log);
  module.def("claim_list", &claim_list);
  module.def("claims", &claims);
  module.def("trace", &trace);
  module.def("sweep", &sweep);
  module.def("compare", &compare);
  module.def("page", &page);
}

}  // namespace dbandit::python
