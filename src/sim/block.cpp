#include "sim/block.hpp"

#include <ctime>

#include "core/clock.hpp"
#include "sim/sums.hpp"

namespace dbandit::sim {

namespace {

double thread_cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Row `index` without its padding lanes, which hold no replica.
std::span<const double> row(const AlignedVector<double>& rows, std::size_t lanes, std::size_t index, std::size_t count) {
  return std::span(rows).subspan(index * lanes, count);
}

void sum_rows(const AlignedVector<double>& rows, std::size_t lanes, std::size_t count, stats::Grid grid,
              std::vector<stats::ExactSums>& sums) {
  sums.assign(rows.size() / lanes, {});
  for (std::size_t index = 0; index < sums.size(); ++index) sums[index].add(row(rows, lanes, index, count), grid);
}

}  // namespace

void simulate_block(const Simulate& simulate, std::span<const model::Experiment> experiments, const model::Block& block, stats::Grid grid,
                    BlockScratch& scratch, RunSums& sums) {
  model::Paths& paths = scratch.paths;
  scratch.final_regret.resize(experiments.size());
  sums.policies.resize(experiments.size());
  sums.timing = {};
  for (std::size_t policy = 0; policy < experiments.size(); ++policy) {
    const double start = thread_cpu_seconds();
    simulate(experiments[policy], block, paths);
    sums.timing.policy_seconds.push_back(seconds_between(start, thread_cpu_seconds()));
    sums.timing.replica_rounds += static_cast<double>(block.count) * static_cast<double>(experiments[policy].horizon);

    PolicySums& into = sums.policies[policy];
    for (const Measure& measure : kMeasures) sum_rows(paths.*measure.rows, paths.lanes, block.count, grid, into.*measure.sums);
    sum_rows(paths.pulls, paths.lanes, block.count, grid, into.pulls);
    const std::size_t records = experiments[policy].at.size();
    const std::vector<std::size_t> spread = spread_records(records);
    into.spread.resize(spread.size());
    for (std::size_t i = 0; i < spread.size(); ++i) {
      into.spread[i].clear();
      into.spread[i].add(row(paths.regret, paths.lanes, spread[i], block.count));
    }
    const auto last = row(paths.regret, paths.lanes, records - 1, block.count);
    scratch.final_regret[policy].assign(last.begin(), last.end());
  }
  sums.paired.clear();
  for (auto a = scratch.final_regret.begin(); a != scratch.final_regret.end(); ++a) {
    for (auto b = a + 1; b != scratch.final_regret.end(); ++b) sums.paired.emplace_back().add_difference(*a, *b, grid);
  }
}

}  // namespace dbandit::sim
