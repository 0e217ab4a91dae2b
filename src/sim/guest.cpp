#include "dbandit/sim/guest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "dbandit/core/clock.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/core/suggest.hpp"
#include "dbandit/reference/exposure.hpp"
#include "dbandit/reference/index.hpp"
#include "dbandit/reference/regret.hpp"
#include "dbandit/reference/simulate.hpp"
#include "dbandit/rng/draws.hpp"
#include "dbandit/sim/block.hpp"
#include "dbandit/sim/plan.hpp"

namespace dbandit::sim {

namespace {

using Rows = std::vector<double>;  ///< [arm][lane]

/// ρ of the recursion, which the geometric law has; none: every law has the buffer.
std::optional<double> recursion_ratio(const model::Experiment& experiment, model::Exposure exposure) {
  const model::Geometric* const law = experiment.problem.delay.geometric();
  if (law == nullptr || exposure != model::Exposure::recursion) return std::nullopt;
  return law->mean / (1 + law->mean);
}

/// Rounds back to which the arms must be known: to the window, or to the first round.
std::size_t remembered_rounds(const model::Experiment& experiment, model::Exposure exposure) {
  if (!experiment.window && recursion_ratio(experiment, exposure)) return 1;
  return static_cast<std::size_t>(std::min(experiment.window.value_or(experiment.horizon), experiment.horizon));
}

/// All replicas of a block, one round after the other.
class Worlds {
 public:
  Worlds(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure)
      : experiment_(experiment),
        block_(block),
        ratio_(recursion_ratio(experiment, exposure)),
        arms_(experiment.problem.theta.size()),
        lanes_(block.count),
        best_theta_(*std::ranges::max_element(experiment.problem.theta)),
        tau_(reference::visibility(experiment.problem.delay, experiment.window, experiment.horizon)),
        history_(remembered_rounds(experiment, exposure), std::vector<std::uint16_t>(lanes_)),
        pulls_(arms_ * lanes_),
        exposure_(arms_ * lanes_),
        conversions_(arms_ * lanes_),
        outstanding_(arms_ * lanes_),
        matured_(arms_ * lanes_),
        lost_(lanes_) {}

  /// Round t = round + 1 plays one arm per lane.
  void play(std::span<const std::uint16_t> arms) {
    ++round_;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      pulls_[arms[lane] * lanes_ + lane] += 1;
      convert(lane, arms[lane]);
    }
    disclose();
    const bool matures = experiment_.window && round_ > *experiment_.window;
    // The slot of round t − m is the one that round t takes.
    std::vector<std::uint16_t>& slot = history_[static_cast<std::size_t>(round_ - 1) % history_.size()];
    if (matures) {
      for (std::size_t lane = 0; lane < lanes_; ++lane) matured_[slot[lane] * lanes_ + lane] += 1;
    }
    if (ratio_) recur(*ratio_, arms, matures ? slot : std::span<const std::uint16_t>{});
    std::ranges::copy(arms, slot.begin());
    if (!ratio_) sum_over_history();
  }

  [[nodiscard]] Books books() const { return {round_ + 1, arms_, lanes_, pulls_, exposure_, conversions_}; }
  [[nodiscard]] double lost(std::size_t lane) const { return lost_[lane]; }

 private:
  struct Event {
    std::uint32_t lane;
    std::uint16_t arm;
    bool ours;  ///< false: only the best arm would have converted
  };

  /// (C_s, D_s) at the address of the round; one uniform serves every arm, so all policies meet the same world.
  void convert(std::size_t lane, std::uint16_t arm) {
    const std::uint64_t replica = block_.first + lane, round = static_cast<std::uint64_t>(round_);
    const double u = rng::open_uniform(rng::conversion_bits(experiment_.seed, replica, round));
    if (!(u < best_theta_)) return;
    const std::int64_t delay =
        model::delay_at(experiment_.problem.delay, rng::open_uniform(rng::delay_bits(experiment_.seed, replica, round)));
    if (delay > experiment_.window.value_or(delay) || delay > experiment_.horizon - round_) return;
    pending_[round_ + delay].push_back({static_cast<std::uint32_t>(lane), arm, u < experiment_.problem.theta[arm]});
  }

  void disclose() {
    const auto due = pending_.find(round_);
    if (due == pending_.end()) return;
    for (const Event& event : due->second) {
      if (event.ours) {
        conversions_[event.arm * lanes_ + event.lane] += 1;
      } else {
        lost_[event.lane] += 1;
      }
    }
    pending_.erase(due);
  }

  /// Ñ = N − W − ρ^{m+1} M with W ← ρ(W + 1{k=a}) − ρ^{m+1} 1{k=b}, b the arm whose pull has matured: what is left of 1 − τ of a
  /// pull is taken out of W at the age at which it stops falling.
  void recur(double rho, std::span<const std::uint16_t> played, std::span<const std::uint16_t> matured) {
    const double rest = experiment_.window ? model::survival(experiment_.problem.delay, *experiment_.window) : 0;
    for (std::size_t lane = 0; lane < lanes_; ++lane) outstanding_[played[lane] * lanes_ + lane] += 1;
    constexpr double kNothing = 1e-200;  // long before denormal numbers, which are slow
    for (double& w : outstanding_) w = std::abs(w) < kNothing ? 0 : rho * w;
    for (std::size_t lane = 0; lane < matured.size(); ++lane) outstanding_[matured[lane] * lanes_ + lane] -= rest;
    for (std::size_t i = 0; i < exposure_.size(); ++i) exposure_[i] = pulls_[i] - outstanding_[i] - rest * matured_[i];
  }

  /// The buffer (§7), which every law has: pulls by age, and τ_m for the matured.
  void sum_over_history() {
    for (std::size_t i = 0; i < exposure_.size(); ++i) exposure_[i] = tau_.back() * matured_[i];
    const auto rounds = static_cast<std::size_t>(round_);
    for (std::size_t age = 0; age < std::min(rounds, history_.size()); ++age) {
      const std::vector<std::uint16_t>& arms = history_[(rounds - 1 - age) % history_.size()];
      for (std::size_t lane = 0; lane < lanes_; ++lane) exposure_[arms[lane] * lanes_ + lane] += tau_[age];
    }
  }

  const model::Experiment& experiment_;
  const model::Block block_;
  const std::optional<double> ratio_;
  std::size_t arms_, lanes_;
  double best_theta_;
  std::vector<double> tau_;  ///< τ_0 … τ_m
  std::int64_t round_ = 0;
  std::vector<std::vector<std::uint16_t>> history_;     ///< [round − 1 mod size][lane]
  std::map<std::int64_t, std::vector<Event>> pending_;  ///< by the round of disclosure
  Rows pulls_, exposure_, conversions_;
  Rows outstanding_, matured_;  ///< W_k, M_k
  std::vector<double> lost_;    ///< disclosed conversions of the best arm on the same draws, minus ours
};

using Orders = std::vector<std::vector<std::uint16_t>>;  ///< [place][lane] an arm

/// The arms of every lane by falling key(replica, arm), equal keys: the lowest arm first.
template <class Key>
Orders orders_by(std::size_t arms, const model::Block& block, Key key) {
  Orders orders(arms, std::vector<std::uint16_t>(block.count));
  std::vector<std::pair<std::uint64_t, std::uint16_t>> keys(arms);
  for (std::size_t lane = 0; lane < block.count; ++lane) {
    for (std::size_t arm = 0; arm < arms; ++arm) keys[arm] = {~key(block.first + lane, arm), static_cast<std::uint16_t>(arm)};
    std::ranges::sort(keys);
    for (std::size_t place = 0; place < arms; ++place) orders[place][lane] = keys[place].second;
  }
  return orders;
}

/// Rounds 1 … K, [round − 1][lane].
Orders start_orders(const model::Experiment& experiment, const model::Block& block) {
  const bool permuted = experiment.rule.start == model::StartOrder::permuted;
  return orders_by(experiment.problem.theta.size(), block,
                   [&](std::uint64_t replica, std::size_t arm) { return permuted ? rng::start_key(experiment.seed, replica, arm) : 0; });
}

/// A guest is shown the arms of each replica in an order of their own, and what it says is read in that order.
class ShownArms {
 public:
  ShownArms(const model::Experiment& experiment, const model::Block& block)
      : arm_(orders_by(experiment.problem.theta.size(), block,
                       [&](std::uint64_t replica, std::size_t arm) { return rng::arm_order_key(experiment.seed, replica, arm); })),
        pulls_(arm_.size() * block.count),
        exposure_(pulls_.size()),
        conversions_(pulls_.size()),
        said_(pulls_.size()) {}

  /// Indices by arm, from a guest that numbers the arms by their places.
  void ask(const Choose& choose, const Books& books, std::span<double> indices) {
    each(books.lanes, [&](std::size_t place, std::size_t arm) {
      pulls_[place] = books.pulls[arm];
      exposure_[place] = books.exposure[arm];
      conversions_[place] = books.conversions[arm];
    });
    choose({books.round, books.arms, books.lanes, pulls_, exposure_, conversions_}, said_);
    each(books.lanes, [&](std::size_t place, std::size_t arm) { indices[arm] = said_[place]; });
  }

 private:
  /// Cells of the rows [place][lane] and [arm][lane] that are one arm's of one lane.
  template <class Take>
  void each(std::size_t lanes, Take take) const {
    for (std::size_t place = 0; place < arm_.size(); ++place) {
      for (std::size_t lane = 0; lane < lanes; ++lane) take(place * lanes + lane, arm_[place][lane] * lanes + lane);
    }
  }

  Orders arm_;  ///< [place][lane]
  Rows pulls_, exposure_, conversions_, said_;
};

/// The arm with the largest index; among tied ones the largest tie key wins, the lowest arm if keys are equal.
std::uint16_t settle(const model::Experiment& experiment, std::uint64_t replica, const Books& books, std::size_t lane,
                     std::span<const double> indices) {
  double best = indices[lane];
  for (std::size_t k = 1; k < books.arms; ++k) best = std::max(best, indices[k * books.lanes + lane]);
  const double tied = best * (best < 0 ? 1 + reference::kTie : 1 - reference::kTie);
  std::size_t winner = books.arms;
  std::uint32_t winning_key = 0;
  bool keyed = false;
  const auto key = [&](std::size_t k) {
    return rng::tie_key(experiment.seed, replica, static_cast<std::uint64_t>(books.round), static_cast<std::uint64_t>(k));
  };
  for (std::size_t k = 0; k < books.arms; ++k) {
    if (!(indices[k * books.lanes + lane] >= tied)) continue;
    if (winner == books.arms) {
      winner = k;
      if (experiment.rule.ties == model::Ties::lowest) break;
      continue;
    }
    if (!std::exchange(keyed, true)) winning_key = key(winner);
    if (const std::uint32_t rival = key(k); rival > winning_key) {
      winner = k;
      winning_key = rival;
    }
  }
  return static_cast<std::uint16_t>(winner);
}

/// A function that is asked a round at a time is cheaper to ask about many replicas: it plays whole batches of blocks, and the
/// blocks are handed out one by one, so that they are folded as everybody's are.
class BatchPlayer {
 public:
  BatchPlayer(const model::Experiment& experiment, model::Exposure exposure, const Choose& choose, const Plan& plan)
      : choose_(choose), exposure_(exposure), replicas_(plan.replicas), lanes_(batch_lanes(experiment, exposure, plan)) {}

  void simulate(const model::Experiment& experiment, const model::Block& block, model::Paths& paths) {
    if (block.first >= batch_.first + batch_.count) {
      batch_ = {block.first, std::min<std::uint64_t>(lanes_, replicas_ - block.first)};
      simulate_guest(experiment, batch_, exposure_, choose_, played_);
    }
    paths.resize(block.count, experiment.at.size(), experiment.problem.theta.size(), 0);
    const std::size_t from = block.first - batch_.first;
    for (const Measure& measure : kMeasures) take(played_.*measure.rows, from, block.count, paths.*measure.rows, paths.lanes);
    take(played_.pulls, from, block.count, paths.pulls, paths.lanes);
  }

 private:
  static std::size_t batch_lanes(const model::Experiment& experiment, model::Exposure exposure, const Plan& plan) {
    constexpr std::size_t most_bytes = std::size_t{128} << 20, most_lanes = 4096;
    const std::size_t rows = 3 * experiment.at.size() + 12 * experiment.problem.theta.size();
    const std::size_t a_lane = 8 * rows + 2 * remembered_rounds(experiment, exposure);
    const std::size_t blocks = std::min(most_lanes, most_bytes / a_lane) / plan.block_lanes;
    return std::max<std::size_t>(1, blocks) * plan.block_lanes;
  }

  void take(const AlignedVector<double>& rows, std::size_t from, std::size_t count, AlignedVector<double>& into, std::size_t stride) const {
    for (std::size_t row = 0; row < into.size() / stride; ++row) {
      std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row * played_.lanes + from), count,
                  into.begin() + static_cast<std::ptrdiff_t>(row * stride));
    }
  }

  const Choose& choose_;
  model::Exposure exposure_;
  std::uint64_t replicas_;
  std::size_t lanes_;
  model::Block batch_{};  ///< what `played_` holds
  model::Paths played_;
};

/// The function that the spec's guest stands for.
const Guest& function_of(const Policy& policy, std::span<const Guest> guests) {
  const auto guest = std::ranges::find(guests, policy.id, &Guest::name);
  if (guest == guests.end()) throw UserError("--policies: no function is given for " + dbandit::quoted(policy.text()));
  if (guest->hash != policy.hash) {
    throw UserError(fmt::format("--policies: the function that is given for {} has the hash {}", dbandit::quoted(policy.text()),
                                dbandit::quoted(guest->hash)));
  }
  return *guest;
}

}  // namespace

void simulate_guest(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, const Choose& choose,
                    model::Paths& paths) {
  const std::size_t arms = experiment.problem.theta.size();
  const std::vector<double> gaps = reference::gaps(experiment.problem);
  const Orders starts = start_orders(experiment, block);
  ShownArms shown(experiment, block);
  Worlds worlds(experiment, block, exposure);
  std::vector<double> indices(arms * block.count);
  std::vector<std::uint16_t> chosen(block.count);
  paths.resize(block.count, experiment.at.size(), arms, static_cast<std::size_t>(experiment.horizon));

  std::size_t record = 0;
  for (std::int64_t t = 1; t <= experiment.horizon; ++t) {
    if (t <= static_cast<std::int64_t>(arms)) {
      chosen = starts[static_cast<std::size_t>(t - 1)];
    } else {
      const Books books = worlds.books();
      shown.ask(choose, books, indices);
      for (std::size_t lane = 0; lane < block.count; ++lane) chosen[lane] = settle(experiment, block.first + lane, books, lane, indices);
    }
    worlds.play(chosen);

    const Books after = worlds.books();
    if (paths.traced) std::ranges::copy(chosen, paths.actions.begin() + (t - 1) * static_cast<std::ptrdiff_t>(paths.lanes));
    if (t == experiment.at[record]) {
      for (std::size_t lane = 0; lane < block.count; ++lane) {
        const std::size_t cell = record * paths.lanes + lane;
        for (std::size_t k = 0; k < arms; ++k) {
          paths.regret[cell] += gaps[k] * after.exposure[k * block.count + lane];
          paths.pseudo_regret[cell] += gaps[k] * after.pulls[k * block.count + lane];
        }
        paths.realised_regret[cell] = worlds.lost(lane);
      }
      ++record;
    }
    if (t < experiment.horizon) continue;
    for (std::size_t k = 0; k < arms; ++k) {
      std::ranges::copy(after.pulls.subspan(k * block.count, block.count),
                        paths.pulls.begin() + static_cast<std::ptrdiff_t>(k * paths.lanes));
    }
  }
}

Result run_with_guests(const Spec& spec, std::span<const Guest> guests, const RunOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Result result{.spec = spec};
  if (spec->until) throw UserError("--until: not with policies from outside the catalogue; allowed is none");
  if (!spec->delay.common()) throw UserError("--delay: one law for all arms, with policies from outside the catalogue");
  if (spec->assume_delay) throw UserError("--assume-delay: not with policies from outside the catalogue, which are told the world's law");

  const Plan plan = sim::plan(spec);
  const kernel::Target* target = nullptr;
  if (spec.engine() == Engine::simd) target = options.target != nullptr ? options.target : &kernel::best_target();
  std::vector<model::Experiment> experiments;
  for (const Policy& policy : spec->policies) experiments.push_back(experiment(spec, policy));
  std::vector<std::unique_ptr<BatchPlayer>> players(experiments.size());
  for (std::size_t p = 0; p < experiments.size(); ++p) {
    if (!spec->policies[p].is_guest()) continue;
    players[p] = std::make_unique<BatchPlayer>(experiments[p], spec.exposure(), function_of(spec->policies[p], guests).choose, plan);
  }
  const Simulate simulate = [&](const model::Experiment& experiment, const model::Block& block, model::Paths& paths) {
    const auto policy = static_cast<std::size_t>(&experiment - experiments.data());
    if (players[policy]) {
      players[policy]->simulate(experiment, block, paths);
    } else if (target == nullptr) {
      reference::simulate(experiment, block, spec.exposure(), paths);
    } else {
      target->simulate(experiment, block, spec.exposure(), spec.solver(), paths, nullptr);
    }
  };

  result.target = target != nullptr ? target->name : "scalar";
  result.threads = 1;
  const model::Problem problem = spec.problem();
  if (spec->censor) result.censored = model::slopes(problem, spec->censor, spec->epsilon);
  result.uncensored = model::slopes(problem, {}, spec->epsilon);
  result.timing.policy_seconds.resize(experiments.size());
  Workspace workspace;
  BlockOutcome outcome;
  for (; result.blocks_done < plan.blocks && !options.stop.stop_requested(); ++result.blocks_done) {
    const model::Block block = plan.block(result.blocks_done);
    simulate_block(simulate, experiments, block, workspace, outcome);
    result.stats.merge(outcome.stats);
    for (std::size_t i = 0; i < experiments.size(); ++i) result.timing.policy_seconds[i] += outcome.policy_seconds[i];
    result.timing.replica_rounds += static_cast<double>(block.count * experiments.size()) * static_cast<double>(spec->horizon);
    if (options.progress) options.progress(result.blocks_done + 1, plan.blocks);
  }
  result.complete = result.blocks_done == plan.blocks;
  result.timing.seconds = seconds_since(start);
  return result;
}

}  // namespace dbandit::sim
