#include "sim/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "core/text.hpp"
#include "dbandit/report/directory.hpp"
#include "page.hpp"
#include "report/advice.hpp"
#include "report/figure.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"
#include "session.hpp"
#include "sim/checkpoint.hpp"
#include "sim/forecast.hpp"
#include "sim/machine.hpp"
#include "sim/memory.hpp"
#include "spec_flags.hpp"
#include "study/sweep.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  SpecFlags spec;
  std::vector<std::string> vary;
  TextOption target, extend, log, log_replicas;
  JobFlags job;
  KeepFlags keep;
  ReportFlag report;
  ColorFlag color;
  bool json = false, csv = false;
};

/// The folder that the flags name.
const std::string* folder_of(const Flags& flags) {
  for (const std::string* folder : {flags.keep.out(), flags.keep.resume(), flags.extend.value()}) {
    if (folder != nullptr) return folder;
  }
  return nullptr;
}

/// What an earlier session left in the folder; read without a lock, since nothing is going to be written.
std::optional<sim::Stored> stored_in(const Flags& flags) {
  const std::string* folder = folder_of(flags);
  if (folder == nullptr) return std::nullopt;
  std::optional<sim::Stored> stored = sim::read_checkpoints(*folder);
  if (folder != flags.keep.out() && (!stored || stored->runs.size() != 1)) {
    throw UserError(fmt::format("'{}': there is no checkpoint of a run in it to continue from", *folder));
  }
  return stored;
}

std::vector<sim::Spec> specs_of(const Flags& flags, const std::optional<sim::Stored>& stored) {
  if (flags.keep.resume() != nullptr || flags.extend.value() != nullptr) {
    return {sim::Spec(sim::merge({*stored->runs.front().spec}, flags.spec.draft()))};
  }
  if (flags.vary.empty()) return {sim::Spec(flags.spec.draft())};
  std::vector<sim::Spec> specs;
  for (study::Cell& cell : study::cells(flags.spec.draft(), study::parse_axes(flags.vary))) specs.push_back(std::move(cell.spec));
  return specs;
}

/// Bytes that are free where the folder is or would be.
double free_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::path there = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  const auto space = std::filesystem::space(there, error);
  return error ? std::numeric_limits<double>::infinity() : static_cast<double>(space.available);
}

struct Plan {
  std::vector<sim::Spec> specs;
  sim::Forecast forecast;
  int threads = 0, at_once = 0;
  std::string target;
  double load = 0;
  double memory_available = 0;
  const std::string* out = nullptr;
  double disk_bytes = 0, disk_free = 0;
  std::string reuse;  ///< what a resume would not have to do again
  double share = 1;   ///< of the blocks that is left to do
  [[nodiscard]] double seconds() const {
    return share * forecast.cpu_seconds / static_cast<double>(std::min<std::size_t>(static_cast<std::size_t>(at_once), forecast.blocks));
  }
};

std::string bytes_text(double bytes) { return report::count_text(bytes) + (bytes >= 1e3 ? "B" : " B"); }

std::string text(const Plan& plan, const report::Style& style) {
  const sim::Forecast& forecast = plan.forecast;
  const sim::Spec& first = plan.specs.front();
  report::Columns columns{.align = {report::Align::left, report::Align::left}, .rows = {{"what", "how much"}}, .highlight = {}};
  const auto add = [&](std::string what, std::string much) { columns.rows.push_back({std::move(what), std::move(much)}); };
  add("cells", fmt::format("{}: {} of {}", forecast.cells, counted(plan.specs.size(), "problem"),
                           first->policies.size() == 1 ? "1 policy" : fmt::format("{} policies", first->policies.size())));
  add("blocks", fmt::format("{} of at most {} replicas", forecast.blocks, sim::plan(first).block_lanes));
  add("replica-rounds", report::count_text(forecast.replica_rounds));
  add("memory", fmt::format("at most {} of {}", bytes_text(forecast.memory_bytes), bytes_text(plan.memory_available)));
  add("disk", plan.out == nullptr
                  ? fmt::format("none without --out; about {} with it", bytes_text(plan.disk_bytes))
                  : fmt::format("about {} of {} free in {}", bytes_text(plan.disk_bytes), bytes_text(plan.disk_free), *plan.out));
  if (!plan.reuse.empty()) add("reuse", plan.reuse);
  add("time", fmt::format("about {} on {} ({})", report::duration_text(plan.seconds()), counted(plan.threads, "thread"), plan.target));
  std::vector<std::string> paces;
  for (const auto& pace : forecast.paces) paces.push_back(fmt::format("{} {}", pace.policy, report::duration_text(pace.seconds)));
  std::string notes = fmt::format("time: from {} of calibration, CPU time per replica and round: {}",
                                  report::duration_text(forecast.calibration_seconds), fmt::join(paces, ", "));
  if (plan.load > plan.at_once)
    notes += fmt::format("\nthe load average is {:.1f} on {}: it will take longer while others work here", plan.load,
                         counted(plan.at_once, "core"));
  notes += "\nnothing was run";
  return style.dim(report::problem_text(first) + " · " + counted(first->replicas, "replica") +
                   (plan.specs.size() > 1 ? " · the first of the problems" : "")) +
         "\n\n" + columns.text(style) + "\n" + style.dim(notes) + "\n";
}

std::string json_text(const Plan& plan) {
  report::Json paces;
  for (const auto& pace : plan.forecast.paces) paces[pace.policy] = pace.seconds;
  const report::Json json{{"schema", "dbandit.plan.v1"},
                          {"problems", plan.specs.size()},
                          {"cells", plan.forecast.cells},
                          {"blocks", plan.forecast.blocks},
                          {"block_replicas", sim::plan(plan.specs.front()).block_lanes},
                          {"replica_rounds", plan.forecast.replica_rounds},
                          {"memory_bytes", plan.forecast.memory_bytes},
                          {"memory_available", plan.memory_available},
                          {"disk_bytes", plan.disk_bytes},
                          {"threads", plan.threads},
                          {"target", plan.target},
                          {"cpu_seconds", plan.forecast.cpu_seconds},
                          {"share_left", plan.share},
                          {"seconds", plan.seconds()},
                          {"seconds_per_replica_round", paces}};
  return json.dump() + '\n';
}

/// What the blocks stored in the folder, or a shard, leave to do.
void reckon_reuse(Plan& plan, const Flags& flags, const std::optional<sim::Stored>& stored) {
  const sim::Shard shard = flags.keep.shard();
  std::size_t all = 0, mine = 0, known = 0;
  for (const sim::Spec& spec : plan.specs) {
    const sim::Plan blocks = sim::plan(spec);
    all += blocks.blocks;
    mine += blocks.part(shard).count();
    const sim::StoredRun* const run = stored ? stored->find(spec) : nullptr;
    if (run != nullptr) known += run->spec == spec ? run->state.blocks() : run->state.whole.blocks.count();
  }
  plan.share = static_cast<double>(mine - std::min(known, mine)) / static_cast<double>(all);
  if (!(shard == sim::Shard{})) plan.reuse = fmt::format("shard {}/{}: {} of {} blocks are its own", shard.index, shard.count, mine, all);
  if (stored && known == 0 && !stored->runs.empty()) {
    const auto differs = sim::difference(stored->runs.front().spec, plan.specs.front());
    plan.reuse = "nothing: the folder holds a run with " + differs.value_or("no blocks yet");
  } else if (stored) {
    plan.reuse = fmt::format("{} of {} blocks are stored and would not run again", known, mine);
  } else if (plan.out != nullptr && plan.reuse.empty()) {
    plan.reuse = "nothing is stored there yet";
  }
}

ExitCode plan(const Flags& flags) {
  const report::Style style = flags.color.style();
  Plan plan;
  plan.out = folder_of(flags);
  const std::optional<sim::Stored> stored = stored_in(flags);
  plan.specs = specs_of(flags, stored);
  reckon_reuse(plan, flags, stored);
  const sim::Cores cores = sim::cores();
  plan.threads = sim::thread_count({.threads = asked_threads(flags.job.threads)});
  plan.at_once = std::min(plan.threads, cores.usable());
  plan.load = sim::load_average();
  plan.memory_available = sim::available_bytes();
  const kernel::Target* target = chosen_target(flags.target, plan.specs.front().engine());
  plan.target =
      plan.specs.front().engine() == sim::Engine::reference ? "scalar" : (target != nullptr ? *target : kernel::best_target()).name;
  for (const sim::Spec& spec : plan.specs) plan.disk_bytes += report::result_bytes(spec);
  if (plan.out != nullptr) {
    plan.disk_free = free_bytes(*plan.out);
    if (plan.disk_bytes > plan.disk_free) {
      throw UserError(fmt::format("--out: {} needs about {}, there are {}; allowed is what fits: another folder, or fewer rounds in --at",
                                  dbandit::quoted(*plan.out), bytes_text(plan.disk_bytes), bytes_text(plan.disk_free)));
    }
  }
  plan.forecast = sim::forecast(plan.specs, plan.threads, target);
  print(flags.json ? json_text(plan) : text(plan, style));
  if (const auto line = flags.json || flags.job.quiet ? std::nullopt : report::cost_advice(plan.specs.front())) warn({&*line, 1});
  return ExitCode::done;
}

}  // namespace

Action declare_plan(Usage& command) {
  auto flags = std::make_shared<Flags>();
  flags->spec.declare(command);
  command.option("--vary", flags->vary, "KEY=VALUES", "what a sweep would vary, as 'dbandit sweep' takes it", "Problem");
  flags->target.declare(command, "--target", target_names(), "instruction set; default auto", "Simulation");
  flags->keep.declare(command, "where the results would go");
  flags->extend.declare(command, "--extend", folder(), "the run that would get more --replicas", "Output");
  flags->report.declare(command);
  command.flag("--json", flags->json, "print one JSON document (dbandit.plan.v1)", "Output");
  command.flag("--csv", flags->csv, "taken as 'dbandit run' takes it; changes nothing here", "Output");
  flags->log.declare(command, "--log", folder(), "taken as 'dbandit run' takes it; changes nothing here", "Output");
  flags->log_replicas.declare(command, "--log-replicas", "N", "taken as 'dbandit run' takes it; changes nothing here", "Output");
  flags->job.declare(command);
  flags->color.declare(command);
  return [flags] { return plan(*flags); };
}

}  // namespace dbandit::cli
