#pragma once

#include "study/claims.hpp"

/// One function per claim: from evidence to finding, and nothing else.
namespace dbandit::study {

// judges_experiments.cpp: §7 and appendix D, on the paper's horizon
Finding ucb_at_central_rates(const Evidence&);
Finding ucb_at_low_rates(const Evidence&);
Finding klucb_below_one_percent(const Evidence&);
Finding discarding_is_linear_for_a_window(const Evidence&);
Finding discarding_catches_up(const Evidence&);
Finding discarding_lags(const Evidence&);
Finding delayed_learns_faster_at_first(const Evidence&);
Finding estimating_delays_is_free(const Evidence&);
Finding harder_with_shorter_windows(const Evidence&);
Finding harder_with_longer_delays(const Evidence&);
Finding recursion_is_the_sum(const Evidence&);
Finding thompson_beats_klucb(const Evidence&);
Finding tie_rule_matters(const Evidence&);
Finding start_order_matters(const Evidence&);

// judges_limits.cpp: what theorems say of limits, up to a thousand times the paper's horizon
Finding lower_bound_censored(const Evidence&);
Finding lower_bound_uncensored(const Evidence&);
Finding ucb_rate(const Evidence&);
Finding klucb_rate(const Evidence&);
Finding rates_with_epsilon(const Evidence&);
Finding delay_is_additive(const Evidence&);

// judges_rates.cpp: constants of growth, remainders, who is ahead when
Finding poisson_loss_is_small(const Evidence&);
Finding poisson_price(const Evidence&);
Finding discarding_is_optimal(const Evidence&);
Finding klucb_is_overtaken(const Evidence&);
Finding remainder_is_linear(const Evidence&);
Finding uncensored_is_easier(const Evidence&);

// judges_related.cpp: what §3 says of others
Finding queues_work_when_bounded(const Evidence&);
Finding naive_queues_learn_nothing(const Evidence&);
Finding ones_overtake_zeros(const Evidence&);
Finding chance_helps_queues(const Evidence&);
Finding correction_replaces_chance(const Evidence&);
Finding batches_cost_the_longest_delay(const Evidence&);
Finding batches_suffer_long_delays(const Evidence&);

// judges_exact.cpp: computed, not sampled
Finding bound_rises_with_visibility(const Evidence&);
Finding scaled_problem(const Evidence&);
Finding poisson_coverage(const Evidence&);
Finding divergences_are_ordered(const Evidence&);
Finding laplace_is_bounded(const Evidence&);
Finding divergence_is_convex(const Evidence&);
Finding discarding_radius_covers(const Evidence&);
Finding observed_delays_are_unbiased(const Evidence&);
Finding observed_mean_is_the_mean_delay(const Evidence&);
Finding printed_recursion(const Evidence&);
Finding tails_fall_like_the_mean_allows(const Evidence&);
Finding exponent_decides_the_mean(const Evidence&);

// judges_sampled.cpp: the estimator and its confidence bounds, on paths
Finding regret_is_lost_conversions(const Evidence&);
Finding regret_is_near_pseudo_regret(const Evidence&);
Finding estimator_is_unbiased(const Evidence&);
Finding ucb_coverage(const Evidence&);
Finding klucb_coverage(const Evidence&);
Finding queued_mean_sticks_to_one(const Evidence&);
Finding likelihood_ratio_is_the_divergence(const Evidence&);

/// "10^5 to 10^6".
std::string decade(std::int64_t from);

/// A number without a unit as a percentage.
inline Quantity percent(std::string what, const Interval& share) { return {std::move(what), scaled(share, 100), " %"}; }

}  // namespace dbandit::study
