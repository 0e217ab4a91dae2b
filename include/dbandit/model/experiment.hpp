#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dbandit/core/aligned.hpp"
#include "dbandit/model/delays.hpp"

/// The values that both engines take and give: what is simulated, and the paths that come out.
namespace dbandit::model {

/// Conversion rate of each arm and the law of the delays (§2).
struct Problem {
  std::vector<double> theta;
  Delays delay;
};

/// Rounds after which an undisclosed conversion is lost; none in the uncensored setting (m = ∞).
using Window = std::optional<std::int64_t>;

/// What a policy's index is computed from.
enum class Statistic {
  exposure,             ///< S, Ñ, N with the true law (d-*, ud-*)
  matured,              ///< Z, τ_m M, M: only pulls older than the window (discard-*)
  agnostic_window,      ///< S, N, and Ñ with the empirical CDF of observed delays (agnostic-*, censored)
  agnostic_mean,        ///< S, N, and Ñ by the recursion with an online mean delay (ud-agnostic-*, uncensored)
  agnostic_likelihood,  ///< the same with the mean delay that makes the delays observed so far likeliest, truncation allowed for
                        ///< (ud-agnostic-mle-*)
  immediate,            ///< ΣC, N, N: conversions seen at once (oracle-*)
  none,                 ///< nothing: every arm ties in every round (uniform)
  uncorrected,          ///< S, N, N: a pull whose conversion is on its way counts as a failure (uncorrected-*, patient-ucb)
  queue_naive,          ///< what a queue of conversions has fed to a policy that knows no delays (qpmd-*-naive)
  queue,                ///< the same with a 0 at the end of the window of a pull that did not convert (qpmd-*)
  queue_heuristic       ///< the same, Thompson sampling on everything seen deciding while the queue has nothing to offer (sdb)
};
constexpr bool queues(Statistic statistic) {
  return statistic == Statistic::queue_naive || statistic == Statistic::queue || statistic == Statistic::queue_heuristic;
}
enum class IndexForm {
  ucb,
  klucb,     ///< Poisson
  bernkl,    ///< Bernoulli KL on matured pulls
  patient,   ///< UCB with an allowance for what is on its way
  thompson,  ///< no index but a draw from the posterior: Gamma on S and Ñ, Beta on matured pulls
  imed,      ///< the least Ñ d_Pois(θ̂, θ̂*) + ln Ñ
  batches,   ///< arms in turn, bad ones dropped at the ends of growing batches (etc)
  phases     ///< arms in turn, bad ones dropped when all have the phase's number of matured pulls (phased-elimination)
};
enum class Clamp { one, none };             ///< whether a KL index is capped at 1
enum class Ties { random, lowest };         ///< lowest: only to show what it does
enum class StartOrder { permuted, fixed };  ///< fixed: arms 0, 1, …; only to show what it does
enum class Radius { covering, paper };      ///< discard-ucb: sqrt(β/2M)/τ_m, or the printed sqrt(β/(2 τ_m M))

/// A policy as a value: parameters only, no state.
struct Rule {
  Statistic statistic = Statistic::exposure;
  IndexForm index = IndexForm::klucb;
  std::string_view family = {};  ///< a family that statistic and index do not say (docs/adding.md)
  double epsilon = 0;            ///< β(t) = (1+ε) ln t
  Clamp clamp = Clamp::one;
  Ties ties = Ties::random;
  StartOrder start = StartOrder::permuted;
  Radius radius = Radius::covering;
  double gamma = 1;                        ///< agnostic_mean: the n-th observed delay has weight n^−γ
  double prior_shape = 1, prior_rate = 1;  ///< thompson: θ ~ Gamma(shape, rate) before the first round; τ_m θ ~ Beta on matured pulls
  double alpha = 0.5;                      ///< patient: P(D > d) ≤ d^−α; from ½ on nothing changes
};

/// Indices closer than this, relatively, are tied. Ñ carries a rounding noise of a few 1e-16 that depends on how it is computed; arms
/// whose indices are equal by definition (the same S and M, all pulls matured) must not be told apart by it.
inline constexpr double kTie = 1e-12;

struct Guest;

/// One policy in one world, for all replicas.
struct Experiment {
  Problem problem;
  Window window;
  Rule rule;
  std::int64_t horizon = 0;
  std::uint64_t seed = 0;
  std::vector<std::int64_t> at;                           ///< recorded rounds, increasing, the last is the horizon
  std::optional<Delays> assumed = std::nullopt;           ///< the law that the policy believes in; none: the world's
  double tolerance = 0;                                   ///< Exposure::approx: the largest error of τ
  std::optional<std::int64_t> leap_after = std::nullopt;  ///< so many rounds are played one by one (at least); none: all of them
  const Guest* guest = nullptr;  ///< a policy given as a function (guest.hpp): of the rule its start and ties are left

  [[nodiscard]] const Delays& believed() const { return assumed ? *assumed : problem.delay; }
};

/// Replicas first, first+1, …, first+count−1. `first` is a multiple of kLaneGroup.
struct Block {
  std::uint64_t first = 0;
  std::size_t count = 0;
};

/// What a block's replicas did, at the recorded rounds. Row-major, lane r is replica first + r; rows are padded.
struct Paths {
  std::size_t lanes = 0;         ///< row stride: padded_lanes(count)
  AlignedVector<double> regret;  ///< [record][lane]  L(t) = Σ_k Δ_k Ñ_k, Ñ by the world's law; delays by arm: reference/regret.hpp
  AlignedVector<double> pseudo_regret;    ///< [record][lane]  P(t) = Σ_k Δ_k N_k(t)
  AlignedVector<double> realised_regret;  ///< [record][lane]  disclosed conversions of the best arm on the same draws, minus ours;
                                          ///<   ≥ 0 on every path unless the delays depend on the arm
  AlignedVector<double> pulls;            ///< [arm][lane]     N_k(T)
  bool traced = false;                    ///< whether to fill `actions`: for tests and replays
  std::vector<std::uint16_t> actions;     ///< [round − 1][lane]

  void resize(std::size_t count, std::size_t records, std::size_t arms, std::size_t rounds) {
    lanes = padded_lanes(count);
    for (auto* rows : {&regret, &pseudo_regret, &realised_regret}) rows->assign(records * lanes, 0.0);
    pulls.assign(arms * lanes, 0.0);
    actions.assign(traced ? rounds * lanes : 0, 0);
  }
};

/// How Ñ is computed (§5.1, §7): the definition, the paper's buffer of the last m pulls, the law's own recursion, or the recursion of a
/// sum of geometric laws fitted to it (geometric_fit.hpp).
enum class Exposure { history, buffer, recursion, approx };

/// An exposure and, for approx, the error of τ that is allowed.
struct ExposureChoice {
  Exposure form = Exposure::recursion;
  double tolerance = 0;
  ExposureChoice(Exposure chosen = Exposure::recursion, double error = 0) : form(chosen), tolerance(error) {}
  operator Exposure() const { return form; }
  friend bool operator==(const ExposureChoice&, const ExposureChoice&) = default;
  friend bool operator==(const ExposureChoice& choice, Exposure form) { return choice.form == form; }
};
/// How the Poisson KL index is solved (§5.3).
enum class Solver { bisection, newton, direct };

}  // namespace dbandit::model
