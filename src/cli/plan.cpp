#include "sim/plan.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "core/text.hpp"
#include "dbandit/report/directory.hpp"
#include "page.hpp"
#include "report/advice.hpp"
#include "report/figure.hpp"
#include "report/table.hpp"
#include "session.hpp"
#include "sim/checkpoint.hpp"
#include "sim/forecast.hpp"
#include "spec_flags.hpp"
#include "study/job_cost.hpp"
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

/// What the blocks stored in the folder, or a shard, leave to do.
void reckon_reuse(study::JobCost& plan, const Flags& flags, const std::optional<sim::Stored>& stored) {
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
  study::JobCost plan;
  plan.out = folder_of(flags);
  const std::optional<sim::Stored> stored = stored_in(flags);
  plan.specs = specs_of(flags, stored);
  reckon_reuse(plan, flags, stored);
  const kernel::Target* target = chosen_target(flags.target, plan.specs.front().engine());
  study::ask_machine(plan, asked_threads(flags.job.threads), target);
  if (plan.out != nullptr) {
    plan.disk_free = free_bytes(*plan.out);
    if (plan.disk_bytes > plan.disk_free) {
      throw UserError(fmt::format("--out: {} needs about {}, there are {}; allowed is what fits: another folder, or fewer rounds in --at",
                                  dbandit::quoted(*plan.out), report::bytes_text(plan.disk_bytes), report::bytes_text(plan.disk_free)));
    }
  }
  plan.forecast = sim::forecast(plan.specs, plan.threads, target);
  print(flags.json ? study::cost_json(plan) : study::cost_text(plan, style));
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
