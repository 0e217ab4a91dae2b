#include "job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <numeric>
#include <utility>

#include "core/clock.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/guest.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "ranks.hpp"
#include "reference/simulate.hpp"
#include "sim/checkpoint.hpp"
#include "sim/machine.hpp"
#include "sim/memory.hpp"
#include "sim/sums.hpp"
#include "sim/until.hpp"

namespace dbandit::sim {

namespace {

void refuse_what_cannot_fit(const Spec& spec, int threads) {
  const double needed = process_bytes() + memory_bytes(spec, threads);
  const double available = available_bytes();
  if (needed <= available) return;
  constexpr double giga = 1e9;
  throw UserError(fmt::format(
      "memory: {} threads need about {:.1f} GB, there are {:.1f} GB; allowed is what fits: fewer --threads, a shorter --censor, "
      "--delay or --horizon, fewer arms or rounds in --at",
      threads, needed / giga, available / giga));
}

Simulate engine(const Spec& spec, const kernel::Target* target) {
  if (target == nullptr) {
    return [exposure = spec.exposure()](const auto& experiment, const auto& block, auto& paths) {
      reference::simulate(experiment, block, exposure, paths);
    };
  }
  return [=, exposure = spec.exposure(), solver = spec.solver()](const auto& experiment, const auto& block, auto& paths) {
    target->simulate(experiment, block, exposure, solver, paths, nullptr);
  };
}

}  // namespace

int thread_count(const RunOptions& options) {
  if (options.threads < 0 || options.threads > kMostThreads) {
    throw UserError(fmt::format("--threads: {} is not an integer from 0 (all cores) to {}", options.threads, kMostThreads));
  }
  if (options.executor == Executor::serial) return 1;
  return options.threads > 0 ? options.threads : std::max(1, cores().of_each_rank());
}

Run::Run(const Spec& spec, const RunOptions& options, int threads)
    : spec_(spec), plan_(sim::plan(spec_)), mine_(plan_.part(options.shard)), final_regrets_(options.final_regrets) {
  refuse_what_cannot_fit(spec_, threads);
  if (spec_.engine() != Engine::reference) target_ = options.target != nullptr ? options.target : &kernel::best_target();
  simulate_ = engine_with_guests(engine(spec_, target_), spec_, target_, plan_, options.guests);
  for (const Policy& policy : spec_->policies) {
    experiments_.push_back(experiment(spec_, policy));
    if (!policy.is_guest()) continue;
    if (spec_->until) throw UserError("--until: not with policies from outside the catalogue; allowed is none");
    experiments_.back().guest = &function_of(policy, options.guests);
  }
}

void Run::simulate(std::size_t block, BlockScratch& scratch, RunSums& outcome) const {
  simulate_block(simulate_, experiments_, plan_.block(block), plan_.grid, scratch, outcome);
  const model::Block played = plan_.block(block);
  for (std::size_t policy = 0; !final_regrets_.empty() && policy < experiments_.size(); ++policy) {
    // Blocks write to places of their own.
    std::ranges::copy(scratch.regret[policy].end() - static_cast<std::ptrdiff_t>(played.count), scratch.regret[policy].end(),
                      final_regrets_.begin() + static_cast<std::ptrdiff_t>(policy * plan_.replicas + played.first));
  }
  outcome.blocks = Coverage({block, block + 1});
}

void Run::add(const RunSums& outcome) {
  const bool is_whole = outcome.blocks.intervals().front().first < plan_.whole_blocks();
  const std::lock_guard lock(mutex_);
  (is_whole ? state_.whole : state_.last).merge(outcome);
}

void Run::add(const RunState& state) {
  const std::lock_guard lock(mutex_);
  state_.whole.merge(state.whole);
  state_.last.merge(state.last);
}

RunState Run::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

double Run::cpu_seconds() const {
  const std::lock_guard lock(mutex_);
  double sum = 0;
  for (const RunSums* part : {&state_.whole, &state_.last}) {
    sum = std::accumulate(part->timing.policy_seconds.begin(), part->timing.policy_seconds.end(), sum);
  }
  return sum;
}

RunState Run::take_state() {
  const std::lock_guard lock(mutex_);
  return std::exchange(state_, {});
}

Coverage Run::covered() const {
  const std::lock_guard lock(mutex_);
  Coverage both = state_.whole.blocks;
  static_cast<void>(both.merge(state_.last.blocks));
  return both;
}

Interval Run::stage() const {
  if (!spec_->until) return mine_;
  // Looks are at prefixes of the replicas: which of them ends the run depends on the spec alone.
  if (is_precise(spec_, state().total())) return {};
  const Coverage known = covered();
  std::size_t look = 0;
  do {
    look = next_look(plan_, look);
  } while (look < plan_.blocks && known.contains({0, look}));
  return {0, look};
}

Result Run::result(const RunState& state) const {
  const RunSums total = state.total();
  Result result{.spec = spec_};
  result.stats = statistics(total, plan_.grid);
  result.blocks_done = total.blocks.count();
  if (spec_->until) {
    result.looks = look_number(plan_, result.blocks_done);
    result.interval_alpha = look_alpha(result.looks);
    result.precise = is_precise(spec_, total);
  }
  result.complete = result.precise || result.blocks_done == plan_.blocks;
  const model::Problem problem = spec_.problem();
  if (spec_->censor) result.censored = model::slopes(problem, spec_->censor, spec_->epsilon);
  result.uncensored = model::slopes(problem, {}, spec_->epsilon);
  result.target = target_ != nullptr ? target_->name : "scalar";
  result.timing = total.timing;
  result.timing.policy_seconds.resize(spec_->policies.size());
  return result;
}

Job::Job(std::span<const Spec> specs, const RunOptions& options)
    : options_(options),
      threads_(thread_count(options)),
      all_threads_(threads_),
      is_shared_(ranks::are_several() && options.executor != Executor::serial && options.guests.empty()) {
  assert((specs.size() == 1 || options.final_regrets.empty()) && "the replicas of one spec have places there");
  for (const Spec& spec : specs) runs_.emplace_back(spec, options, threads_);
  scratch_.resize(static_cast<std::size_t>(threads_));
  outcomes_.resize(static_cast<std::size_t>(threads_));
  if (options_.checkpoint != nullptr) options_.checkpoint->begin(*this);
  for (const Run& run : runs_) {
    blocks_ += run.mine().end - run.mine().first;
    blocks_done_ += run.covered().count();
    cpu_before_.push_back(run.cpu_seconds());
  }
}

/// What is left to do before somebody has to look at it, by run.
std::vector<Coverage> Job::stage() const {
  std::vector<Coverage> missing;
  for (const Run& run : runs_) missing.push_back(run.covered().missing(run.stage()));
  return missing;
}

/// The blocks are simulated, and added up, in any order: sums of integers have none.
void Job::play(std::span<const Coverage> blocks) {
  std::vector<std::size_t> lengths;
  for (const Coverage& one : blocks) lengths.push_back(one.count());
  const Interleaving items(lengths);
  std::atomic<std::size_t> counter = 0;
  const std::size_t before = blocks_done_;
  const auto next = [&]() -> std::optional<std::size_t> {
    if (options_.stop.stop_requested()) return std::nullopt;
    const std::size_t item = is_shared_ ? ranks::next_item() : counter++;
    return item < items.size() ? std::optional(item) : std::nullopt;
  };
  for_each(options_.executor, threads_, next, [&](std::size_t item, std::size_t worker) {
    const auto [run, index] = items.at(item);
    runs_[run].simulate(blocks[run].at(index), scratch_[worker], outcomes_[worker]);
    runs_[run].add(outcomes_[worker]);
    if (options_.checkpoint != nullptr) options_.checkpoint->added(*this);
    if (!options_.progress) return;
    const std::lock_guard lock(progress_mutex_);
    // The items of all ranks are counted together: the last one given to this rank tells how far all are.
    blocks_done_ = is_shared_ ? std::max(blocks_done_, before + item + 1) : blocks_done_ + 1;
    options_.progress(blocks_done_, blocks_);
  });
}

bool Job::work() {
  std::optional<ranks::Announcement> announced;
  if (is_shared_) announced.emplace(*this);
  const auto nothing_is_left = [](const std::vector<Coverage>& blocks) {
    return std::ranges::all_of(blocks, [](const Coverage& one) { return one.count() == 0; });
  };
  while (!options_.stop.stop_requested()) {
    const std::vector<Coverage> blocks = stage();
    if (nothing_is_left(blocks)) break;
    if (is_shared_) ranks::open(blocks);
    std::string failure;
    try {
      play(blocks);
    } catch (const UserError& error) {
      if (!is_shared_) throw;
      failure = error.what();  // the other ranks stop, and hand over what they have, before it is told
    }
    const ranks::Gathered gathered = is_shared_ ? ranks::gather(*this, options_.stop, failure) : ranks::Gathered{};
    if (gathered.all && options_.checkpoint != nullptr) options_.checkpoint->gathered(*this);
    if (!gathered.failure.empty()) throw UserError(gathered.failure, ExitCode::io);
    if (is_shared_ && options_.progress) {  // the last blocks may have been another rank's
      const std::size_t told = std::exchange(blocks_done_, 0);
      for (const Run& run : runs_) blocks_done_ += run.covered().count();
      if (blocks_done_ != told) options_.progress(blocks_done_, blocks_);
    }
    if (gathered.stopped) break;
  }
  if (options_.checkpoint != nullptr) options_.checkpoint->finish(*this);
  return nothing_is_left(stage());
}

double Job::seconds_per_cpu_second() const {
  double all = 0;
  for (std::size_t i = 0; i < runs_.size(); ++i) all += runs_[i].cpu_seconds() - cpu_before_[i];
  return all > 0 ? seconds_since(start_) / all : 0;
}

RunState Job::state(std::size_t index, double share) const {
  RunState state = runs_[index].state();
  // A run of one short block has no whole one to say it of.
  (state.whole.blocks.count() > 0 ? state.whole : state.last).timing.seconds += share * (runs_[index].cpu_seconds() - cpu_before_[index]);
  return state;
}

std::vector<Result> Job::results() const {
  std::vector<Result> results;
  const double share = seconds_per_cpu_second();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    results.push_back(runs_[i].result(state(i, share)));
    results.back().threads = all_threads_;
  }
  return results;
}

std::string Job::describe() const {
  Encoder encoder;
  encoder.number(static_cast<std::uint64_t>(options_.threads));
  encoder.text(options_.target != nullptr ? options_.target->name : "");
  encoder.text(options_.checkpoint != nullptr ? options_.checkpoint->folder().string() : "");
  encoder.real(options_.checkpoint != nullptr ? options_.checkpoint->interval().count() : 0);
  encoder.number(runs_.size());
  for (const Run& run : runs_) encoder.text(spec_text(run.spec()));
  return encoder.take();
}

std::string Job::take_states() {
  Encoder encoder;
  encoder.number(static_cast<std::uint64_t>(std::exchange(all_threads_, threads_)));
  for (Run& run : runs_) encoder.state(run.take_state());
  return encoder.take();
}

bool Job::add_states(std::string_view bytes) {
  Decoder decoder(bytes);
  all_threads_ += static_cast<int>(decoder.number());
  std::vector<RunState> states;
  for (const Run& run : runs_) states.push_back(decoder.state(run.spec()));
  if (!decoder.is_whole()) return false;
  for (std::size_t i = 0; i < runs_.size(); ++i) runs_[i].add(states[i]);
  return true;
}

}  // namespace dbandit::sim
