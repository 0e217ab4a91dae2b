#include "dbandit/sim/block.hpp"

#include <ctime>

#include "dbandit/core/clock.hpp"

namespace dbandit::sim {

namespace {

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Row `index` without its padding: lanes beyond the block's count are nobody's.
std::span<const double> row(const AlignedVector<double>& rows, std::size_t lanes, std::size_t index, std::size_t count) {
  return std::span(rows).subspan(index * lanes, count);
}

void row_moments(const AlignedVector<double>& rows, std::size_t lanes, std::size_t count, std::vector<stats::Moments>& moments) {
  moments.resize(rows.size() / lanes);
  for (std::size_t index = 0; index < moments.size(); ++index) moments[index] = stats::moments(row(rows, lanes, index, count));
}

}  // namespace

void simulate_block(const Simulate& simulate, std::span<const model::Experiment> experiments, const model::Block& block,
                    Workspace& workspace, BlockOutcome& outcome) {
  model::Paths& paths = workspace.paths;
  workspace.final_regret.resize(experiments.size());
  outcome.stats.policies.resize(experiments.size());
  outcome.policy_seconds.resize(experiments.size());
  for (std::size_t policy = 0; policy < experiments.size(); ++policy) {
    const double start = thread_cpu_seconds();
    simulate(experiments[policy], block, paths);
    outcome.policy_seconds[policy] = seconds_between(start, thread_cpu_seconds());

    PolicyStats& stats = outcome.stats.policies[policy];
    for (const Measure& measure : kMeasures) row_moments(paths.*measure.rows, paths.lanes, block.count, stats.*measure.curve);
    row_moments(paths.pulls, paths.lanes, block.count, stats.pulls);
    const std::size_t records = experiments[policy].at.size();
    const std::vector<std::size_t> spread = spread_records(records);
    stats.spread.resize(spread.size());
    for (std::size_t i = 0; i < spread.size(); ++i) {
      stats.spread[i].clear();
      stats.spread[i].add(row(paths.regret, paths.lanes, spread[i], block.count));
    }
    const auto last = row(paths.regret, paths.lanes, records - 1, block.count);
    workspace.final_regret[policy].assign(last.begin(), last.end());
  }
  outcome.stats.paired.clear();
  for (auto a = workspace.final_regret.begin(); a != workspace.final_regret.end(); ++a) {
    for (auto b = a + 1; b != workspace.final_regret.end(); ++b) outcome.stats.paired.push_back(stats::moments_of_difference(*a, *b));
  }
}

}  // namespace dbandit::sim
