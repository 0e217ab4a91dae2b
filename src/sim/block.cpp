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
  scratch.regret.resize(experiments.size());
  const std::vector<std::size_t> compared = compared_records(experiments.front().at);
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
    std::vector<double>& kept = scratch.regret[policy];
    kept.clear();
    for (const std::size_t record : compared) {
      const auto regret = row(paths.regret, paths.lanes, record, block.count);
      kept.insert(kept.end(), regret.begin(), regret.end());
    }
    into.growth.assign(compared.size() - 1, {});
    for (std::size_t i = 0; i + 1 < compared.size(); ++i) {
      const auto at = [&](std::size_t place) { return std::span<const double>(kept).subspan(place * block.count, block.count); };
      into.growth[i].add_difference(at(i + 1), at(i), grid);
    }
    const auto last = [&](const AlignedVector<double>& rows) { return row(rows, paths.lanes, records - 1, block.count); };
    into.gaps.assign(2, {});
    into.gaps[0].add_difference(last(paths.pseudo_regret), last(paths.regret), grid);
    into.gaps[1].add_difference(last(paths.realised_regret), last(paths.regret), grid);
  }
  sums.paired.clear();
  sums.paired_growth.clear();
  for (auto a = scratch.regret.begin(); a != scratch.regret.end(); ++a) {
    for (auto b = a + 1; b != scratch.regret.end(); ++b) {
      const auto at = [&](const std::vector<double>& regret, std::size_t place) {
        return std::span<const double>(regret).subspan(place * block.count, block.count);
      };
      for (std::size_t i = 0; i < compared.size(); ++i) sums.paired.emplace_back().add_difference(at(*a, i), at(*b, i), grid);
      for (std::size_t i = 0; i + 1 < compared.size(); ++i) {
        sums.paired_growth.emplace_back().add_growth_difference(at(*a, i), at(*a, i + 1), at(*b, i), at(*b, i + 1), grid);
      }
    }
  }
}

}  // namespace dbandit::sim
