#include "dbandit/sim/guest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"
#include "job.hpp"
#include "kernel/memory.hpp"
#include "sim/sums.hpp"

namespace dbandit::sim {

namespace {

/// A function that wants to be asked about many replicas at once plays several blocks together; they are handed out one by one, so that
/// they are folded as those of every policy are.
class Batch {
 public:
  void play(const Simulate& engine, const model::Experiment& e, const model::Block& block, std::size_t most, model::Paths& paths) {
    const std::lock_guard lock(mutex_);
    if (block.first < block_.first || block.first + block.count > block_.first + block_.count) {
      block_ = {block.first, most};
      engine(e, block_, played_);
    }
    paths.resize(block.count, e.at.size(), e.problem.theta.size(), 0);
    const std::size_t from = block.first - block_.first;
    const auto take = [&](const AlignedVector<double>& rows, AlignedVector<double>& into) {
      for (std::size_t row = 0; row < into.size() / paths.lanes; ++row) {
        std::copy_n(rows.data() + row * played_.lanes + from, block.count, into.data() + row * paths.lanes);
      }
    };
    for (const Measure& measure : kMeasures) take(played_.*measure.rows, paths.*measure.rows);
    take(played_.pulls, paths.pulls);
  }

 private:
  std::mutex mutex_;
  model::Block block_{};  ///< what `played_` holds
  model::Paths played_;
};

/// As many as are wanted, in whole blocks and within 128 MB.
std::size_t lanes_at_once(const model::Experiment& e, model::Exposure exposure, const Plan& plan) {
  constexpr double kMostBytes = 128 << 20;
  std::size_t lanes = std::min<std::size_t>(e.guest->replicas_at_once, 4096) / plan.block_lanes * plan.block_lanes;
  const auto bytes = [&] { return kernel::state_bytes({&e, 1}, lanes, exposure).rows + static_cast<double>(24 * e.at.size() * lanes); };
  while (lanes > plan.block_lanes && bytes() > kMostBytes) lanes = lanes / 2 / plan.block_lanes * plan.block_lanes;
  return lanes;
}

}  // namespace

Simulate engine_with_guests(Simulate others, const Spec& spec, const kernel::Target* target, const Plan& plan,
                            std::span<const Guest> guests) {
  if (guests.empty()) return others;
  const kernel::Target& kernel = target != nullptr ? *target : kernel::best_target();
  const model::Exposure exposure = spec.exposure() == model::Exposure::history ? model::Exposure::buffer : spec.exposure().form;
  const Simulate engine = [&kernel, exposure](const auto& e, const auto& block, auto& paths) {
    kernel.simulate(e, block, exposure, model::Solver::direct, paths, nullptr);
  };
  const auto batches = std::make_shared<std::map<const Guest*, Batch>>();
  for (const Guest& guest : guests) (*batches)[&guest];
  return [=](const model::Experiment& e, const model::Block& block, model::Paths& paths) {
    if (e.guest == nullptr) return others(e, block, paths);
    const std::size_t lanes = lanes_at_once(e, exposure, plan);
    if (lanes <= plan.block_lanes) return engine(e, block, paths);
    batches->at(e.guest).play(engine, e, block, std::min<std::uint64_t>(lanes, plan.replicas - block.first), paths);
  };
}

model::Experiment guest_experiment(const Spec& spec, const Guest& guest) {
  model::Experiment e = experiment(spec, "uniform");  // whose setting is the run's
  e.rule.statistic = model::Statistic::exposure;
  e.guest = &guest;
  return e;
}

const Guest& function_of(const Policy& policy, std::span<const Guest> guests) {
  const std::string name = policy.id + (policy.hash.empty() ? "" : "@" + policy.hash);
  const auto guest = std::ranges::find(guests, name, &Guest::name);
  if (guest == guests.end()) {
    throw UserError(fmt::format("--policies: {} is a guest; allowed where a function of that name is given, from C++ or Python",
                                dbandit::quoted(policy.text())));
  }
  return *guest;
}

Result run_with_guests(const Spec& spec, std::span<const Guest> guests, const RunOptions& options) {
  RunOptions with_guests = options;
  with_guests.guests = guests;
  return run(spec, with_guests);
}

}  // namespace dbandit::sim
