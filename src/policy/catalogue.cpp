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
    {"oracle-ucb", as_given, Statistic::immediate, ucb, "UCB that sees conversions at once: a floor, not a rival (§5.2 without delay)"},
    {"oracle-klucb", as_given, Statistic::immediate, klucb, "Poisson KL-UCB that sees conversions at once: a floor (§5.3 without delay)"},
    {"uniform", as_given, Statistic::none, ucb, "an arm at random in every round: the ceiling (the linear regret of §2)"},
});

}  // namespace

std::span<const Entry> catalogue() { return kCatalogue; }

const Entry* find(std::string_view id) {
  const auto* entry = std::find_if(kCatalogue.begin(), kCatalogue.end(), [id](const Entry& candidate) { return candidate.id == id; });
  return entry == kCatalogue.end() ? nullptr : entry;
}

}  // namespace dbandit::policy
