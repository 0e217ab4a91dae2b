#include "dbandit/sim/paired.hpp"

#include <algorithm>

#include "dbandit/reference/simulate.hpp"
#include "dbandit/sim/machine.hpp"
#include "dbandit/sim/plan.hpp"

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
  std::vector<std::vector<stats::Moments>> found(slots(threads), std::vector<stats::Moments>(policies.size()));
  std::vector<stats::Moments> differences(policies.size());
  const auto produce = [&](const Place& place) {
    const model::Block block = blocks.block(place.item);
    auto& [of_a, of_b] = paths[place.worker];
    for (std::size_t p = 0; p < policies.size(); ++p) {
      play(a, policies[p], options.target, block, of_a);
      play(b, policies[p], options.target, block, of_b);
      found[place.slot][p] =
          stats::moments_of_difference(std::span(of_b.regret).first(block.count), std::span(of_a.regret).first(block.count));
    }
  };
  const auto fold = [&](const Place& place) {
    for (std::size_t p = 0; p < policies.size(); ++p) differences[p].merge(found[place.slot][p]);
    if (options.progress) options.progress(place.item + 1, blocks.blocks);
  };
  for_each_in_order(options.executor, threads, blocks.blocks, options.stop, produce, fold);
  return differences;
}

}  // namespace dbandit::sim
