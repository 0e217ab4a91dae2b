#include "sim/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "dbandit/policy/catalogue.hpp"
#include "dbandit/sim/executor.hpp"
#include "dbandit/sim/result.hpp"
#include "kernel/memory.hpp"
#include "model/delay_table.hpp"
#include "reference/simulate.hpp"
#include "sim/plan.hpp"
#include "sim/sums.hpp"

namespace dbandit::sim {

namespace {

/// Powers of two among which the regret of all replicas in a round can lie. Once every arm has been pulled, which is in the first K rounds
/// unless a queue decides, a pull of each worse arm is at least t − K rounds old; before that some pull is seen at age 0 or none is. No
/// round loses more than the largest gap. A few more for rounding, and for zero.
std::size_t octaves(const model::Experiment& e, std::int64_t round) {
  constexpr std::size_t kMost = 64;
  const std::vector<double>& theta = e.problem.theta;
  if (!e.problem.delay.common()) return kMost;
  const double best = *std::ranges::max_element(theta);
  double smallest = 1, largest = 0, sum = 0;
  for (const double rate : theta) {
    if (rate == best) continue;
    smallest = std::min(smallest, best - rate);
    largest = std::max(largest, best - rate);
    sum += best - rate;
  }
  if (largest == 0) return 1;
  const std::int64_t oldest = round - static_cast<std::int64_t>(theta.size());
  const bool all = !model::queues(e.rule.statistic) && oldest >= 0;
  const double seen = model::cdf(e.problem.delay[0], all ? std::min(oldest, e.window.value_or(oldest)) : 0);
  const double least = std::max((all ? sum : smallest) * seen, 0x1p-40);
  return std::min(kMost, 3 + static_cast<std::size_t>(std::max(0, std::ilogb(largest * static_cast<double>(round) / least))));
}

/// The statistics of so many replicas, for all policies.
double statistics_bytes(const Spec& spec, std::span<const model::Experiment> experiments, double replicas) {
  const std::size_t policies = experiments.size();
  const std::size_t compared = compared_records(spec->at).size();
  const std::size_t rows = kMeasures.size() * spec->at.size() + spec->theta.size() + compared + 2;
  // The sums, and what is made of them: means, and a record of a checkpoint.
  constexpr std::size_t kRow = 2 * sizeof(stats::ExactSums) + sizeof(stats::Moments);
  double bytes = static_cast<double>((policies * rows + policies * (policies - 1) * compared) * kRow);
  for (const model::Experiment& experiment : experiments) {
    bytes += sizeof(PolicySums) + sizeof(PolicyStats);
    for (const std::size_t record : spread_records(spec->at.size())) {
      bytes += stats::Quantiles::bytes(replicas, octaves(experiment, spec->at[record]));
    }
  }
  return bytes;
}

/// What reports and checkpoints make of the statistics: numbers of at most 25 characters, most of them in two documents, in strings that
/// grow by doubling. A checkpoint has two short numbers for each bin of the spread.
double text_bytes(const Spec& spec, std::span<const model::Experiment> experiments) {
  constexpr double kNumber = 25, kGrowing = 3;
  const auto policies = static_cast<double>(experiments.size()), records = static_cast<double>(spec->at.size());
  const auto arms = static_cast<double>(spec->theta.size());
  double bins = 0;
  for (const model::Experiment& experiment : experiments) {
    for (const std::size_t record : spread_records(spec->at.size())) {
      bins += std::min(static_cast<double>(spec->replicas), 1024.0 * static_cast<double>(octaves(experiment, spec->at[record])));
    }
  }
  return kGrowing * (2 * kNumber * (policies * (15 * records + 3 * arms) + policies * policies * 3 + 8 * arms) + 4 * bins);
}

}  // namespace

double memory_bytes(std::span<const Spec> specs, int threads) {
  // Of a thread: its stack, what the scheduler and the allocator keep for it. Of the process: what is read and written besides.
  constexpr double kThread = 1 << 20, kRest = 4 << 20;
  double blocks = 0, folded = 0, largest = 0, tables = 0, in_flight = 0, working = 0, texts = 0;
  for (const Spec& spec : specs) {
    const Plan plan = sim::plan(spec);
    blocks += static_cast<double>(plan.blocks);
    std::vector<model::Experiment> experiments;
    for (const Policy& policy : spec->policies) experiments.push_back(experiment(spec, policy));
    const std::size_t lanes = std::min<std::uint64_t>(plan.block_lanes, plan.replicas);
    const std::size_t rows =
        kMeasures.size() * spec->at.size() + spec->theta.size() + spec->policies.size() * compared_records(spec->at).size();
    double state = 0;
    if (spec.engine() == Engine::reference) {
      for (const model::Experiment& one : experiments) state = std::max(state, reference::simulation_bytes(one));
    } else {
      const kernel::StateBytes bytes = kernel::state_bytes(experiments, lanes, spec.exposure());
      state = bytes.rows;
      tables += bytes.tables;
    }
    working = std::max(working, state + static_cast<double>(sizeof(double) * rows * padded_lanes(lanes)));
    in_flight = std::max(in_flight, statistics_bytes(spec, experiments, static_cast<double>(lanes)));
    const double sums = statistics_bytes(spec, experiments, static_cast<double>(spec->replicas));
    folded += sums;
    largest = std::max(largest, sums);
    texts = std::max(texts, text_bytes(spec, experiments));
    std::size_t law = 0;
    for (const model::DelayLaw& one : spec->delay.laws) law += sizeof one + model::heap_bytes(one);
    folded += static_cast<double>((experiments.size() + 4) * (2 * law + sizeof(double) * (spec->theta.size() + spec->at.size())));
  }
  const double workers = std::min(static_cast<double>(threads), blocks);
  return kRest + folded + 2 * largest + texts + workers * (kThread + working + tables + in_flight);  // a run is copied to be looked at
}

double process_bytes() {
  const auto page = static_cast<double>(sysconf(_SC_PAGESIZE));
  double size = 0, resident = 0, shared = 0;
  std::ifstream("/proc/self/statm") >> size >> resident >> shared;
  double bytes = page * (resident - shared);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0;
    char dash = 0;
    if (line.find('/') == std::string::npos) continue;
    std::istringstream(line) >> std::hex >> begin >> dash >> end;
    bytes += static_cast<double>(end - begin);
  }
  return bytes;
}

double available_bytes() {
  const double physical = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return physical;
  return std::min(physical, static_cast<double>(limit.rlim_cur));
}

}  // namespace dbandit::sim
