#include "study/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"
#include "study/judges.hpp"

namespace dbandit::study {
namespace {

using enum Verdict;

const std::vector<Claim>& table() {
  static const std::vector<Claim> claims{
      {"below-one-percent",
       "§1",
       "Where conversion rates are below one percent, the KL-UCB variant learns much faster",
       "d-ucb's regret is more than d-klucb's by half or more at T = 10^5",
       holds,
       {"tiny"},
       klucb_below_one_percent},
      {"lemma1",
       "§2, Lemma 1",
       "The expected number of conversions lost to the oracle by round T is Σ Δ τ of the pulls' ages",
       "conversions lost and L(T) differ by chance alone: within twice the half-width of a 95 % interval",
       holds,
       {"fig1/low", "uniform/censored"},
       regret_is_lost_conversions,
       Kind::definition},
      {"lemma1-bounds",
       "§2, Lemma 1",
       "The usual regret ΣΔN exceeds this one, by at most μΣΔ",
       "ΣΔN − L is between 0 and μΣΔ, of the delayed policies and of random play, without a window and with one",
       partly,
       {"fig1/low", "uniform/censored", "uniform/uncensored"},
       regret_is_near_pseudo_regret},
      {"additive",
       "§3",
       "In stochastic problems a delay costs a constant, not a factor",
       "no horizon decides a limit; the difference to the same index without delays should stop growing; against it is one whose growth "
       "rises for sure",
       open,
       {"long/uncensored"},
       delay_is_additive},
      {"qpmd-sticks",
       "§3",
       "Behind Q-PMD's queues a policy that is fed conversions only sees an empirical mean of 1, whatever the rates",
       "the mean of what the base is fed is 1; with a zero fed at the end of the window it is below 0.7 for rates up to 0.5",
       holds,
       {},
       queued_mean_sticks_to_one,
       Kind::definition},
      {"qpmd-unusable",
       "§3",
       "So it cannot compare the arms: fed with conversions only, Q-PMD is of no use",
       "its regret at T = 10^4 is no less than that of random play",
       holds,
       {"queues/naive"},
       naive_queues_learn_nothing},
      {"qpmd-bounded",
       "§3",
       "Where delays are bounded, Q-PMD can be used: waiting long enough reveals every outcome",
       "after a hundred times the longest delay it has lost less than a tenth of what random play loses",
       holds,
       {"bounded/1000"},
       queues_work_when_bounded},
      {"qpmd-order",
       "not in the paper, on §3",
       "Even then ones overtake zeros in its queues, and its base is too optimistic",
       "the share of ones it is fed is above the rates, and further above than where all outcomes are of the same age when they arrive",
       holds,
       {},
       ones_overtake_zeros},
      {"random-waiting",
       "§3",
       "Queues lack variety while they wait: a random policy meanwhile improves on them",
       "sdb's regret is below qpmd-klucb's in the same worlds, at every recorded round",
       partly,
       {"bounded/1000"},
       chance_helps_queues},
      {"no-chance-needed",
       "§3",
       "Correcting by the CDF of the delays takes care of that without any randomness",
       "d-klucb's regret is below sdb's in the same worlds at T = 10^4 and 10^5",
       holds,
       {"bounded/1000"},
       correction_replaces_chance},
      {"etc-cost",
       "§3",
       "What delays add to the cost of explore-then-commit in batches is the longest observable delay",
       "delays add no more than the longest of them in rounds, each at the largest gap; the batches end at the same rounds in the worlds "
       "compared",
       holds,
       {"bounded/8", "bounded/1024", "bounded/4096"},
       batches_cost_the_longest_delay},
      {"etc-waits",
       "§3",
       "It is not updated while it waits, so long delays hurt it more than the delay-corrected policy",
       "delays up to 4096 instead of 8 add more to etc's pseudo-regret than to d-klucb's",
       holds,
       {"bounded/8", "bounded/4096"},
       batches_suffer_long_delays},
      {"lemma2",
       "§4, Lemma 2",
       "The expected log-likelihood ratio of the observations is Σ d(θτ, θ'τ) over the pulls, with and without a window",
       "the two differ by chance alone: within twice the half-width of a 95 % interval",
       holds,
       {},
       likelihood_ratio_is_the_divergence,
       Kind::definition},
      {"theorem3",
       "§4, Theorem 3",
       "With a window no uniformly efficient policy grows slower than Σ τΔ/d(τθ_k, τθ*) per ln T, in the limit",
       "no horizon decides a limit; against it is a policy that grows slower than the bound for two decades and ever slower for sure",
       open,
       {"long/low", "long/high", "long/sampling"},
       lower_bound_censored},
      {"theorem4",
       "§4, Theorem 4",
       "Without one none grows slower than Lai and Robbins' bound, in the limit",
       "as for Theorem 3",
       open,
       {"long/uncensored", "long/high"},
       lower_bound_uncensored},
      {"scaled-problem",
       "§4",
       "A window makes the problem as hard as one without delays and with rates τ_m θ",
       "the two lower bounds agree to rounding",
       holds,
       {},
       scaled_problem,
       Kind::definition},
      {"bound-rises",
       "§4",
       "The lower bound rises with τ_m",
       "the bound rises along windows from 50 to 10 000",
       fails,
       {},
       bound_rises_with_visibility},
      {"shorter-windows",
       "§4",
       "A shorter window makes the problem harder",
       "d-klucb's and d-ucb's loss at T rises from each window to the shorter one: in pseudo-regret, and in regret",
       partly,
       {"fig1/low", "window/300", "window/100"},
       harder_with_shorter_windows},
      {"longer-delays",
       "§4",
       "Longer delays make the problem harder",
       "d-klucb's and d-ucb's loss at T rises from each mean delay to the longer one: in pseudo-regret, and in regret",
       partly,
       {"delay/50", "fig1/low", "delay/2000"},
       harder_with_longer_delays},
      {"short-horizon",
       "§4, §6",
       "On horizons of a few windows, using the recent pulls learns much faster than discarding them",
       "at t = 2m Discarding's regret is more by half or more, with either index",
       partly,
       {"fig2/low"},
       delayed_learns_faster_at_first},
      {"unbiased",
       "§5.1",
       "Given which arms were pulled, θ̂ = S/Ñ is unbiased",
       "the bias of θ̂ is chance alone, when arms are drawn at random and when d-ucb chooses",
       partly,
       {},
       estimator_is_unbiased},
      {"proposition6",
       "§5.2, Proposition 6",
       "The UCB index misses θ with a chance of at most β e ln(t) e^-β, whatever the policy",
       "the frequency of misses is below the bound, of every arm, at levels where the bound is below 1",
       holds,
       {},
       ucb_coverage},
      {"lemma7",
       "§5.3, Lemma 7",
       "On a fixed schedule the Poisson KL bound misses θ with a chance below e^-δ",
       "the exact chance is below e^-δ for δ up to 10, four rates",
       holds,
       {},
       poisson_coverage},
      {"theorem14",
       "§5.3, appendix A",
       "Whatever the policy, the KL-UCB index misses θ with a chance of at most e⌈δ ln t⌉e^-δ",
       "the frequency of misses is below the bound, of every arm, at levels where the bound is below 1",
       holds,
       {},
       klucb_coverage},
      {"lemma8",
       "§5.3, Lemma 8",
       "(1−q) d(p,q) ≤ d_Pois(p,q) ≤ d(p,q) for p < q",
       "it is so for all p < q in steps of 0.01",
       holds,
       {},
       divergences_are_ordered},
      {"theorem9",
       "§6, Theorem 9, Corollary 10",
       "Delayed UCB grows no faster than Σ 1/(2τ_mΔ) per ln T (τ_m = 1 without a window), in the limit",
       "no horizon decides a limit; growth over the constant should fall until it is not above 1; against it is one above 1 that rises for "
       "sure",
       open,
       {"long/low", "long/high", "long/uncensored"},
       ucb_rate},
      {"theorem11",
       "§6, Theorem 11, Corollary 12",
       "Delayed KL-UCB grows no faster than the lower bound over 1 − θ*, in the limit",
       "as for Theorem 9",
       open,
       {"long/low", "long/high", "long/uncensored"},
       klucb_rate},
      {"epsilon",
       "§6, Theorems 9 and 11",
       "With β = (1+ε) ln t and ε > 0 the same constants times 1 + ε bound the growth, in the limit",
       "as for Theorem 9",
       open,
       {"long/epsilon", "long/low"},
       rates_with_epsilon},
      {"remainder",
       "§6, Corollaries 10 and 12, appendix C",
       "What is beyond the leading term grows at most linearly with m",
       "a further round of m adds no more than the proof allows, 1 + τ_mΣΔ, and no more at long windows than at short ones",
       holds,
       {"stretched/250", "stretched/1000", "stretched/4000"},
       remainder_is_linear},
      {"tail",
       "§6",
       "The corollaries' assumption 1 − τ_m ≤ c/m asks for no more than a finite mean delay",
       "m(1 − τ_m) ≤ μ for m up to 10^5, of three laws",
       holds,
       {},
       tails_fall_like_the_mean_allows},
      {"tail-exponent",
       "§6",
       "Where 1 − τ_m ≤ c/m^γ, the mean delay is finite if and only if γ > 1",
       "with a tail like m^-γ the sum of the tail ends for γ > 1 and only then; with a tail below c/m^γ likewise",
       partly,
       {},
       exponent_decides_the_mean},
      {"uncensored-easier",
       "§6, Corollary 10",
       "Without a window the delayed policies lose no more than with one",
       "ud- loses less than d- at T, with either index, at low and central rates: in pseudo-regret, and in regret",
       partly,
       {"fig1/low", "fig1/high"},
       uncensored_is_easier},
      {"discard-optimal",
       "§6",
       "Discarding UCB and Discarding KL-UCB are asymptotically optimal",
       "the limits of growth are the lower bound",
       fails,
       {"long/low"},
       discarding_is_optimal},
      {"discard-radius",
       "§6",
       "Discarding's printed radius sqrt(β/(2τ_m N)) is a confidence radius",
       "the exact chance of missing is below e^-β, of windows that show 86 % and 50 %",
       partly,
       {},
       discarding_radius_covers},
      {"recursion",
       "§7",
       "For geometric delays the exposure can be updated in constant time (with a window: a buffer; ours is a recursion too)",
       "mean regret agrees to 1e-9 at every round with the sum over all pulls",
       holds,
       {"sum/history", "sum/buffer", "sum/recursion"},
       recursion_is_the_sum,
       Kind::definition},
      {"printed-recursion",
       "§7, Eq. 5",
       "O ← λO + 1 with λ = 1/μ is that update",
       "the printed Ñ agrees with Σ τ to 1e-9",
       fails,
       {},
       printed_recursion},
      {"ucb-central",
       "§7, Figure 1",
       "UCB does well when conversion rates are near one half",
       "d-ucb's regret is within a quarter of d-klucb's",
       holds,
       {"fig1/high"},
       ucb_at_central_rates},
      {"ucb-low",
       "§7, Figure 1",
       "UCB is clearly worse when they are low",
       "d-ucb's regret is more than d-klucb's by half or more",
       holds,
       {"fig1/low"},
       ucb_at_low_rates},
      {"poisson-loss",
       "§7, Figure 1",
       "At low rates the Poisson divergence costs next to nothing in growth rate",
       "the constants of growth differ by less than a fifth",
       holds,
       {"long/low", "long/uncensored", "long/high"},
       poisson_loss_is_small},
      {"poisson-price",
       "§7, appendix A",
       "Using the Poisson divergence instead of Bernoulli's costs little at low rates",
       "Discarding's regret at T = 10^7 with the one is within a fifth of that with the other, in the same worlds",
       holds,
       {"long/low", "price/high"},
       poisson_price},
      {"discard-linear",
       "§6, §7, Figure 2",
       "Discarding's regret is linear for the first m rounds",
       "its loss of the first m rounds is that of playing in turn to 1 %, d-klucb's is less, and after 2m its own is below half of it",
       holds,
       {"fig2/low"},
       discarding_is_linear_for_a_window,
       Kind::definition},
      {"discard-catches-up",
       "§7, Figure 2",
       "Discarding reaches the usual growth rate only after many rounds",
       "it grows faster than the delayed policy in the second half of T = 10^4, and by less from 10^5 to 10^6",
       holds,
       {"fig2/low", "late/low"},
       discarding_catches_up},
      {"discard-gap",
       "§7, Figure 2",
       "The gap between Discarding and the delayed policies is not negligible",
       "Discarding's regret at T is more by a fifth or more, with either index",
       holds,
       {"fig2/low"},
       discarding_lags},
      {"lemma13",
       "Appendix A, Lemma 13",
       "A Bernoulli sum's log-Laplace transform is below that of the Poisson law of its mean",
       "it is so for means from 0.01 to 0.99 and λ from −8 to 8",
       holds,
       {},
       laplace_is_bounded},
      {"lemma15",
       "Appendix B, Lemma 15",
       "d(αp, αq) is increasing and convex in α",
       "first and second differences are positive on a grid of p, q and α",
       holds,
       {},
       divergence_is_convex},
      {"observed-delays",
       "Appendix D",
       "The share of observed delays of at most s has mean τ_s/τ_m",
       "the exact bias is below 0.01 at t = m and at 100 m",
       partly,
       {},
       observed_delays_are_unbiased},
      {"observed-mean",
       "Appendix D",
       "The running mean of the delays observed so far estimates the mean delay",
       "the exact bias is within 10 % at t = 2μ and within 1 % at 200μ",
       partly,
       {"agnostic/low", "agnostic/high"},
       observed_mean_is_the_mean_delay},
      {"agnostic",
       "§3, appendix D, Figure 3",
       "Estimating the delays on the way costs no regret",
       "regret is within a twentieth of that with the law known, in the same worlds, in both settings, at low and central rates",
       holds,
       {"fig3/low", "fig3/high"},
       estimating_delays_is_free},
      {"overtaken",
       "not in the paper",
       "At central rates KL-UCB is ahead at T = 10^4; by T = 10^6 UCB has overtaken it",
       "d-klucb's regret is less at 10^4 and more at 10^6 in the same worlds, in both settings",
       holds,
       {"fig1/high", "long/high"},
       klucb_is_overtaken},
      {"thompson",
       "not in the paper",
       "Thompson sampling on the same S and Ñ has less regret than Delayed KL-UCB at T = 10^4, at low and at central rates",
       "its regret is less in the same worlds",
       holds,
       {"thompson/low", "thompson/high"},
       thompson_beats_klucb},
      {"ties",
       "not in the paper",
       "Giving ties to the arm listed first hides most of the early regret",
       "it takes away half or more of the regret at t = 100",
       holds,
       {"fig1/low", "ties/lowest"},
       tie_rule_matters},
      {"start",
       "not in the paper",
       "Trying the arms in the order of the list visibly changes UCB's regret",
       "it changes d-ucb's regret at T by more than 1 %",
       holds,
       {"fig1/low", "start/fixed"},
       start_order_matters},
  };
  return claims;
}

bool wanted(const Claim& claim, std::span<const std::string> ids) { return ids.empty() || std::ranges::find(ids, claim.id) != ids.end(); }

}  // namespace

std::span<const Claim> claims() { return table(); }

std::vector<Judged> judge(const Evidence& evidence, std::span<const std::string> ids) {
  std::vector<Judged> judged;
  for (const Claim& claim : claims()) {
    if (wanted(claim, ids) && evidence.has(claim.runs)) judged.push_back({&claim, claim.judge(evidence)});
  }
  return judged;
}

std::vector<sim::Spec> specs_for(std::span<const NamedRun> runs, const Evidence& evidence) {
  std::vector<sim::Spec> specs;
  for (const NamedRun& run : runs) {
    sim::Settings settings = run.settings;
    settings.replicas = evidence.effort == Effort::quick ? run.quick : run.full;
    settings.seed = evidence.seed;
    specs.emplace_back(settings);
  }
  return specs;
}

std::vector<NamedRun> runs_for(std::span<const std::string> ids) {
  std::vector<std::string_view> known;
  for (const Claim& claim : claims()) known.push_back(claim.id);
  for (const std::string& id : ids) {
    if (std::ranges::find(known, id) != known.end()) continue;
    const std::string hint = did_you_mean(id, known);
    throw UserError(
        fmt::format("claims: {} is not a claim{}", dbandit::quoted(id), hint.empty() ? "; 'dbandit claims --list' shows them" : hint));
  }
  std::set<std::string_view> names;
  for (const Claim& claim : claims()) {
    if (wanted(claim, ids)) names.insert(claim.runs.begin(), claim.runs.end());
  }
  std::vector<NamedRun> runs;
  std::ranges::copy_if(named_runs(), std::back_inserter(runs), [&](const NamedRun& run) { return names.contains(run.name); });
  return runs;
}

Verdict above(const Interval& interval, double threshold) {
  if (interval.low >= threshold) return holds;
  return interval.high < threshold ? fails : undecided;
}

Verdict below(const Interval& interval, double threshold) {
  if (interval.high <= threshold) return holds;
  return interval.low > threshold ? fails : undecided;
}

Verdict nothing(const Interval& interval) { return std::abs(interval.value) <= interval.high - interval.low ? holds : fails; }

Verdict all_of(std::span<const Verdict> verdicts) {
  for (const Verdict worst : {fails, undecided, open, partly}) {
    if (std::ranges::find(verdicts, worst) != verdicts.end()) return worst;
  }
  return holds;
}

Finding only_for(std::string scope, Verdict there, Verdict elsewhere, std::vector<Quantity> measured) {
  if (there == holds && elsewhere == fails) return {partly, std::move(measured), std::move(scope)};
  return {all_of(std::array{there, elsewhere}), std::move(measured), {}};
}

}  // namespace dbandit::study
