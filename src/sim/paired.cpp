#include "sim/paired.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "reference/simulate.hpp"
#include "sim/machine.hpp"
#include "sim/plan.hpp"

namespace dbandit::sim {

namespace {

void play(const Spec& spec, const Policy& policy, const kernel::Target* target, const model::Block& block, model::Paths& paths) {
  model::Experiment only_the_end = experiment(spec, policy);
  only_the_end.at = {spec->horizon};
  if (spec.engine() == Engine::reference) {
    reference::simulate(only_the_end, block, spec.exposure(), paths);
  } else {
    (target != nullptr ? *target : kernel::best_target()).simulate(only_the_end, block, spec.exposure(), spec.solver(), paths, nullptr);
  }
}

}  // namespace

bool same_worlds(const Spec& a, const Spec& b) { return a->theta == b->theta && a->delay == b->delay && a->seed == b->seed; }

std::vector<stats::Moments> paired_differences(const Spec& a, const Spec& b, std::span<const Policy> policies, const RunOptions& options) {
  const Plan blocks = plan(a->replicas < b->replicas ? a : b);
  const int threads = options.threads > 0 ? options.threads : cores().usable();
  struct Both {
    model::Paths a, b;
  };
  std::vector<Both> paths(static_cast<std::size_t>(threads));
  std::vector<stats::ExactSums> differences(policies.size());
  std::mutex mutex;
  std::size_t done = 0;
  std::atomic<std::size_t> counter = 0;
  const auto next = [&]() -> std::optional<std::size_t> {
    const std::size_t block = options.stop.stop_requested() ? blocks.blocks : counter++;
    return block < blocks.blocks ? std::optional(block) : std::nullopt;
  };
  for_each(options.executor, threads, next, [&](std::size_t item, std::size_t worker) {
    const model::Block block = blocks.block(item);
    auto& [of_a, of_b] = paths[worker];
    std::vector<stats::ExactSums> found(policies.size());
    for (std::size_t p = 0; p < policies.size(); ++p) {
      play(a, policies[p], options.target, block, of_a);
      play(b, policies[p], options.target, block, of_b);
      found[p].add_difference(std::span(of_b.regret).first(block.count), std::span(of_a.regret).first(block.count), blocks.grid);
    }
    const std::lock_guard lock(mutex);
    for (std::size_t p = 0; p < policies.size(); ++p) differences[p].merge(found[p]);
    if (options.progress) options.progress(++done, blocks.blocks);
  });
  std::vector<stats::Moments> moments;
  for (const stats::ExactSums& sums : differences) moments.push_back(sums.moments(blocks.grid));
  return moments;
}

}  // namespace dbandit::sim
