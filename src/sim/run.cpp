#include "dbandit/sim/run.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "dbandit/core/clock.hpp"
#include "dbandit/sim/until.hpp"
#include "job.hpp"
#include "ranks.hpp"

namespace dbandit::sim {

namespace {

double cpu_seconds(const Run& run) {
  const auto& seconds = run.result.timing.policy_seconds;
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

/// Those who work on a job: the threads of this process and, under mpirun, the other ranks.
class Crew {
 public:
  Crew(std::span<const Spec> specs, const RunOptions& options)
      : options_(options),
        threads_(thread_count(options)),
        job_(specs, options, threads_),
        workspaces_(static_cast<std::size_t>(threads_)) {
    const int all_threads = leads_ ? ranks::announce(Job::describe(specs, options), threads_) : threads_;
    outcomes_.resize(slots(all_threads));
    for (Run& run : job_.runs()) run.result.threads = all_threads;  // what the seconds were shared by
  }
  ~Crew() {
    if (leads_) ranks::dismiss();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  Job& job() { return job_; }

  /// Blocks are simulated in any order and folded in plan order, so no schedule and no company can change a byte.
  std::size_t work(std::size_t first, std::size_t end, const std::function<void(std::size_t item, const BlockOutcome&)>& folded) {
    const auto produce = [&](const Place& place) { job_.simulate(first + place.item, workspaces_[place.worker], outcomes_[place.slot]); };
    const auto fold = [&](const Place& place) {
      job_.fold(first + place.item, outcomes_[place.slot]);
      folded(first + place.item, outcomes_[place.slot]);
    };
    if (!leads_) return for_each_in_order(options_.executor, threads_, end - first, options_.stop, produce, fold);
    const auto arrive = [&](const Place& place, std::string_view bytes) {
      return job_.unpack(first + place.item, bytes, outcomes_[place.slot]);
    };
    return ranks::for_each_in_order({.threads = threads_, .slots = outcomes_.size(), .first = first, .count = end - first}, options_.stop,
                                    produce, arrive, fold);
  }

 private:
  const RunOptions& options_;
  bool leads_ = ranks::is_lead() && options_.guests.empty();  ///< a function cannot be sent to another rank
  int threads_;
  Job job_;
  std::vector<Workspace> workspaces_;
  std::vector<BlockOutcome> outcomes_;
};

bool looks_at_itself(const Spec& spec) { return spec->until.has_value(); }

}  // namespace

std::vector<Result> run_all(std::span<const Spec> specs, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Result> results;
  if (specs.size() == 1 || std::ranges::any_of(specs, looks_at_itself)) {
    for (const Spec& spec : specs) results.push_back(run(spec, options));
    return results;
  }
  Crew crew(specs, options);
  crew.work(0, crew.job().size(), [&](std::size_t item, const BlockOutcome&) {
    if (options.progress) options.progress(item + 1, crew.job().size());
  });

  double all_cpu_seconds = 0;
  for (const Run& run : crew.job().runs()) all_cpu_seconds += cpu_seconds(run);
  const double seconds = seconds_since(start);
  for (Run& run : crew.job().runs()) {
    run.result.complete = run.result.blocks_done == run.plan.blocks;
    run.result.timing.seconds = all_cpu_seconds == 0 ? seconds : seconds * cpu_seconds(run) / all_cpu_seconds;
    results.push_back(std::move(run.result));
  }
  return results;
}

Result run(const Spec& spec, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Crew crew({&spec, 1}, options);
  const Plan plan = crew.job().runs().front().plan;
  Result& result = crew.job().runs().front().result;
  if (options.from != nullptr && options.from->blocks > 0) {
    result.stats = options.from->stats;
    result.timing = options.from->timing;
    result.blocks_done = options.from->blocks;
  }
  const double seconds_before = result.timing.seconds;
  const auto tell = [&](std::size_t, const BlockOutcome&) {
    result.timing.seconds = seconds_before + seconds_since(start);
    if (options.progress) options.progress(result.blocks_done, plan.blocks);
    if (options.folded) options.folded(result);
  };
  const bool looks = looks_at_itself(result.spec);
  while (result.blocks_done < plan.blocks && !is_precise(result.spec, result.blocks_done, result.stats)) {
    const std::size_t first = result.blocks_done, end = looks ? next_look(plan, first) : plan.blocks;
    if (crew.work(first, end, tell) < end - first) break;
  }
  if (looks) {
    result.looks = look_number(plan, result.blocks_done);
    result.interval_alpha = look_alpha(result.looks);
    result.precise = is_precise(result.spec, result.blocks_done, result.stats);
  }
  result.complete = result.precise || result.blocks_done == plan.blocks;
  result.timing.seconds = seconds_before + seconds_since(start);
  return std::move(result);
}

std::size_t run_blocks(const Spec& spec, const RunOptions& options, std::size_t first, std::size_t end,
                       const std::function<void(const BlockOutcome&)>& each) {
  Crew crew({&spec, 1}, options);
  return crew.work(first, end, [&](std::size_t item, const BlockOutcome& outcome) {
    each(outcome);
    if (options.progress) options.progress(item + 1 - first, end - first);
  });
}

}  // namespace dbandit::sim
