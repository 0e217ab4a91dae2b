#include "study/job_cost.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/sim/run.hpp"
#include "report/figure.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"
#include "sim/machine.hpp"
#include "sim/memory.hpp"
#include "sim/plan.hpp"

namespace dbandit::study {

void ask_machine(JobCost& cost, int threads, const kernel::Target* target) {
  cost.threads = sim::thread_count({.threads = threads});
  cost.at_once = std::min(cost.threads, sim::cores().usable());
  cost.load = sim::load_average();
  cost.memory_available = sim::available_bytes();
  cost.target =
      cost.specs.front().engine() == sim::Engine::reference ? "scalar" : (target != nullptr ? *target : kernel::best_target()).name;
  for (const sim::Spec& spec : cost.specs) cost.disk_bytes += report::result_bytes(spec);
}

std::string cost_text(const JobCost& cost, const report::Style& style) {
  const sim::Forecast& forecast = cost.forecast;
  const sim::Spec& first = cost.specs.front();
  report::Columns columns{.align = {report::Align::left, report::Align::left}, .rows = {{"what", "how much"}}, .highlight = {}};
  const auto add = [&](std::string what, std::string much) { columns.rows.push_back({std::move(what), std::move(much)}); };
  add("cells", fmt::format("{}: {} of {}", forecast.cells, counted(cost.specs.size(), "problem"),
                           first->policies.size() == 1 ? "1 policy" : fmt::format("{} policies", first->policies.size())));
  add("blocks", fmt::format("{} of at most {} replicas", forecast.blocks, sim::plan(first).block_lanes));
  add("replica-rounds", report::count_text(forecast.replica_rounds));
  add("memory", fmt::format("at most {} of {}", report::bytes_text(forecast.memory_bytes), report::bytes_text(cost.memory_available)));
  add("disk", cost.out == nullptr ? fmt::format("none without --out; about {} with it", report::bytes_text(cost.disk_bytes))
                                  : fmt::format("about {} of {} free in {}", report::bytes_text(cost.disk_bytes),
                                                report::bytes_text(cost.disk_free), *cost.out));
  if (!cost.reuse.empty()) add("reuse", cost.reuse);
  add("time", fmt::format("about {} on {} ({})", report::duration_text(cost.seconds()), counted(cost.threads, "thread"), cost.target));
  std::vector<std::string> paces;
  for (const auto& pace : forecast.paces) paces.push_back(fmt::format("{} {}", pace.policy, report::duration_text(pace.seconds)));
  std::string notes = fmt::format("time: from {} of calibration, CPU time per replica and round: {}",
                                  report::duration_text(forecast.calibration_seconds), fmt::join(paces, ", "));
  if (cost.load > cost.at_once)
    notes += fmt::format("\nthe load average is {:.1f} on {}: it will take longer while others work here", cost.load,
                         counted(cost.at_once, "core"));
  notes += "\nnothing was run";
  return style.dim(report::problem_text(first) + " · " + counted(first->replicas, "replica") +
                   (cost.specs.size() > 1 ? " · the first of the problems" : "")) +
         "\n\n" + columns.text(style) + "\n" + style.dim(notes) + "\n";
}

std::string cost_json(const JobCost& cost) {
  report::Json paces;
  for (const auto& pace : cost.forecast.paces) paces[pace.policy] = pace.seconds;
  const report::Json json{{"schema", "dbandit.plan.v1"},
                          {"problems", cost.specs.size()},
                          {"cells", cost.forecast.cells},
                          {"blocks", cost.forecast.blocks},
                          {"block_replicas", sim::plan(cost.specs.front()).block_lanes},
                          {"replica_rounds", cost.forecast.replica_rounds},
                          {"memory_bytes", cost.forecast.memory_bytes},
                          {"memory_available", cost.memory_available},
                          {"disk_bytes", cost.disk_bytes},
                          {"threads", cost.threads},
                          {"target", cost.target},
                          {"cpu_seconds", cost.forecast.cpu_seconds},
                          {"share_left", cost.share},
                          {"seconds", cost.seconds()},
                          {"seconds_per_replica_round", paces}};
  return json.dump() + '\n';
}

}  // namespace dbandit::study
