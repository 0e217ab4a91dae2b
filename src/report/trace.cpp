#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reference/simulate.hpp"
#include "report/csv.hpp"
#include "sim/job.hpp"

namespace dbandit::report {
namespace {

template <class Each>
void for_each_step(const sim::Spec& spec, const sim::Policy& policy, const Rounds& rounds, std::span<const model::Guest> guests,
                   Each each) {
  model::Experiment experiment = sim::experiment(spec, policy);
  if (policy.is_guest()) experiment.guest = &sim::function_of(policy, guests);
  reference::trace(experiment, rounds.replica, model::Exposure::buffer, rounds.last, [&](const reference::Step& step) {
    if (step.round >= rounds.first) each(step);
  });
}

/// What became of the pull, as nobody in the simulated world knows it.
std::string fate(const reference::Step& step, const model::Window& window) {
  if (!step.outcome.converts) return "never";
  if (window && step.outcome.delay > *window) return fmt::format("lost, {}", step.outcome.delay);
  return fmt::format("in {}", step.outcome.delay);
}

}  // namespace

sim::Spec trace_spec(sim::SpecDraft draft, Rounds& rounds) {
  if (!draft.said.contains("horizon")) {  // the rounds that are asked for
    draft.settings.horizon = std::max(rounds.last, static_cast<std::int64_t>(draft.settings.theta.size()));
    draft.said.emplace("horizon", "--rounds");
  }
  sim::Spec spec(draft);
  rounds.last = std::min(rounds.last, spec->horizon);
  return spec;
}

std::string trace_table(const sim::Spec& spec, const Rounds& rounds, const Style& style, std::span<const model::Guest> guests) {
  std::string text;
  for (const sim::Policy& policy : spec->policies) {
    const model::Window window = spec.window(policy);
    Columns columns{.align = {Align::right, Align::right, Align::right}, .rows = {{"round", "arm", "tied"}}, .highlight = {}};
    for (std::size_t k = 0; k < spec->theta.size(); ++k) {
      for (const char* what : {"N", "S", "Ñ", "index"}) {
        columns.rows.front().push_back(fmt::format("{} {}", what, k));
        columns.align.push_back(Align::right);
      }
    }
    for (const char* what : {"converts", "disclosed"}) columns.rows.front().emplace_back(what), columns.align.push_back(Align::left);
    for_each_step(spec, policy, rounds, guests, [&](const reference::Step& step) {
      std::vector<std::string> row{fmt::format("{}", step.round), fmt::format("{}", step.arm),
                                   step.tied > 1 ? fmt::format("{}", step.tied) : ""};
      const bool has_index = std::ranges::any_of(step.indices, [](double index) { return index != 0; });
      std::string shown;
      for (std::size_t k = 0; k < step.known.size(); ++k) {
        const reference::ArmStatistics& arm = step.known[k];
        row.push_back(fmt::format("{}", arm.pulls));
        row.push_back(fmt::format("{}", arm.conversions));
        row.push_back(fmt::format("{:.4g}", arm.exposure));
        row.push_back(has_index ? fmt::format("{:.4g}", step.indices[k]) : "–");
        for (std::int64_t i = 0; i < step.disclosed[k]; ++i) shown += fmt::format("{}{}", shown.empty() ? "" : " ", k);
      }
      row.push_back(fate(step, window));
      row.push_back(shown);
      columns.rows.push_back(std::move(row));
    });
    text += fmt::format("{}{}, replica {}\n\n{}", text.empty() ? "" : "\n", policy.id, rounds.replica, columns.text(style));
  }
  return text +
         "\nbefore the round, for each arm: N pulls, S conversions and exposure Ñ that the policy divides by, and its index; tied: between "
         "so many arms "
         "the\nround was a toss; converts: what becomes of the pull, which no policy knows; disclosed: arms whose conversions are shown at "
         "the end\n";
}

std::string trace_csv(const sim::Spec& spec, const Rounds& rounds, std::span<const model::Guest> guests) {
  std::string text = "policy,round,played,tied,arm,pulls,conversions,exposure,index,converts,delay,disclosed\n";
  for (const sim::Policy& policy : spec->policies) {
    for_each_step(spec, policy, rounds, guests, [&](const reference::Step& step) {
      for (std::size_t k = 0; k < step.known.size(); ++k) {
        const reference::ArmStatistics& arm = step.known[k];
        const bool converts = k == step.arm && step.outcome.converts;
        text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(policy.id), step.round, step.arm, step.tied, k, arm.pulls,
                            arm.conversions, arm.exposure, step.indices[k],
                            k != step.arm ? ""
                            : converts    ? "1"
                                          : "0",
                            converts ? fmt::format("{}", step.outcome.delay) : "", step.disclosed[k]);
      }
    });
  }
  return text;
}

}  // namespace dbandit::report
