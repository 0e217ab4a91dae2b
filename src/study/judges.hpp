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

// judges_rates.cpp: growth rates, up to a hundred times the paper's horizon
Finding poisson_loss_is_small(const Evidence&);
Finding lower_bound_censored(const Evidence&);
Finding lower_bound_uncensored(const Evidence&);
Finding ucb_rate(const Evidence&);
Finding klucb_rate(const Evidence&);
Finding discarding_is_optimal(const Evidence&);
Finding delay_is_additive(const Evidence&);
Finding klucb_is_overtaken(const Evidence&);

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

// judges_sampled.cpp: the estimator and its confidence bounds, on paths
Finding regret_is_lost_conversions(const Evidence&);
Finding regret_is_near_pseudo_regret(const Evidence&);
Finding estimator_is_unbiased(const Evidence&);
Finding ucb_coverage(const Evidence&);
Finding klucb_coverage(const Evidence&);
Finding queued_mean_sticks_to_one(const Evidence&);

/// A number without a unit as a percentage.
inline Quantity percent(std::string what, const Interval& share) { return {std::move(what), scaled(share, 100), " %"}; }

}  // namespace dbandit::study
