#include "dbandit/policy/catalogue.hpp"

#include <algorithm>
#include <array>

namespace dbandit::policy {

namespace {

using enum Setting;
using enum model::IndexForm;
using model::Statistic;

constexpr auto kCatalogue = std::to_array<Entry>({
    {"d-ucb", censored, Statistic::exposure, ucb, "delay-corrected UCB, conversions later than the window are lost (§5.2, §6)"},
    {"d-klucb", censored, Statistic::exposure, klucb, "delay-corrected Poisson KL-UCB, censored (§5.3, §6)"},
    {"ud-ucb", uncensored, Statistic::exposure, ucb, "delay-corrected UCB, every conversion is seen in the end (§5.2, §6)"},
    {"ud-klucb", uncensored, Statistic::exposure, klucb, "delay-corrected Poisson KL-UCB, uncensored (§5.3, §6)"},
    {"discard-ucb", censored, Statistic::matured, ucb, "UCB on the pulls older than the window only (§6, Discarding)"},
    {"discard-klucb", censored, Statistic::matured, klucb, "Poisson KL-UCB on the pulls older than the window only (§6, Discarding)"},
    {"agnostic-ucb", censored, Statistic::agnostic_window, ucb, "d-ucb with the empirical CDF of the delays seen so far (appendix D)"},
    {"agnostic-klucb", censored, Statistic::agnostic_window, klucb,
     "d-klucb with the empirical CDF of the delays seen so far (appendix D)"},
    {"ud-agnostic-ucb", uncensored, Statistic::agnostic_mean, ucb, "ud-ucb with an online estimate of the mean delay (appendix D)"},
    {"ud-agnostic-klucb", uncensored, Statistic::agnostic_mean, klucb, "ud-klucb with an online estimate of the mean delay (appendix D)"},
    {"ud-agnostic-mle-ucb", uncensored, Statistic::agnostic_likelihood, ucb,
     "ud-agnostic-ucb, allowing for what cannot have been seen yet; ours, on appendix D"},
    {"ud-agnostic-mle-klucb", uncensored, Statistic::agnostic_likelihood, klucb,
     "ud-agnostic-klucb, allowing for what cannot have been seen yet; ours, on appendix D"},
    {"oracle-ucb", as_given, Statistic::immediate, ucb, "UCB with immediate feedback; no lower bound, d-ts can beat it (§5.2, no delay)"},
    {"oracle-klucb", as_given, Statistic::immediate, klucb,
     "Poisson KL-UCB with immediate feedback; no lower bound, d-ts can beat it (§5.3, no delay)"},
    {"d-ts", censored, Statistic::exposure, thompson, "Thompson sampling, rates ~ Gamma(a + S, rate b + Ñ); ours, on §5.1's estimator"},
    {"ud-ts", uncensored, Statistic::exposure, thompson, "Thompson sampling without a window; ours, on §5.1's estimator"},
    {"agnostic-ts", censored, Statistic::agnostic_window, thompson, "d-ts with the empirical CDF of the delays seen so far (appendix D)"},
    {"discard-ts", censored, Statistic::matured, thompson,
     "Thompson sampling, Beta(a + Z, b + M - Z) of pulls older than the window; ours (§6)"},
    {"uncorrected-ts", as_given, Statistic::uncorrected, thompson,
     "Thompson sampling, rates ~ Gamma(a + S, rate b + N); ours (§5.1 with Ñ = N)"},
    {"d-imed", censored, Statistic::exposure, imed, "least Ñ d_Pois + ln Ñ on §5.1's estimator; ours (IMED: Honda, Takemura 2015)"},
    {"uncorrected-ucb", as_given, Statistic::uncorrected, ucb, "UCB that takes what is on its way for failures (§5.2 with Ñ = N)"},
    {"uncorrected-klucb", as_given, Statistic::uncorrected, klucb,
     "Poisson KL-UCB that takes what is on its way for failures (§5.3, Ñ = N)"},
    {"patient-ucb", as_given, Statistic::uncorrected, patient,
     "uncorrected UCB plus N^-alpha for what is on its way (Manegueu et al. 2020)"},
    {"discard-bernkl", censored, Statistic::matured, bernkl,
     "Bernoulli KL-UCB on the pulls older than the window: the rate of §4's Theorem 3"},
    {"qpmd-ucb", censored, Statistic::queue, ucb, "UCB behind queues, a 0 fed at the end of the window (Joulani et al. 2013)"},
    {"qpmd-klucb", censored, Statistic::queue, klucb, "Poisson KL-UCB behind queues, a 0 fed at the end of the window (Joulani 2013)"},
    {"qpmd-ucb-naive", as_given, Statistic::queue_naive, ucb,
     "UCB behind queues of conversions only: its means stick to 1 (§3; Joulani 2013)"},
    {"qpmd-klucb-naive", as_given, Statistic::queue_naive, klucb, "Poisson KL-UCB behind queues of conversions only (§3; Joulani 2013)"},
    {"sdb", censored, Statistic::queue_heuristic, klucb, "KL-UCB behind queues, Thompson sampling while it waits (Mandel et al. 2015)"},
    {"etc", censored, Statistic::matured, batches, "explore, then commit, in doubling batches no shorter than m (Perchet et al. 2016)"},
    {"phased-elimination", censored, Statistic::matured, phases, "arms in turn, bad ones dropped phase by phase (Lancewicki et al. 2021)"},
    {"uniform", as_given, Statistic::none, ucb, "each arm once, then an arm at random in every round: linear regret (§2)"},
});

}  // namespace

std::span<const Entry> catalogue() { return kCatalogue; }

const Entry* find(std::string_view id) {
  const std::string_view name = id.substr(0, id.find('('));
  const auto* entry = std::find_if(kCatalogue.begin(), kCatalogue.end(), [name](const Entry& candidate) { return candidate.id == name; });
  return entry == kCatalogue.end() ? nullptr : entry;
}

}  // namespace dbandit::policy
