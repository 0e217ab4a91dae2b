#include "stats/signed_rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace dbandit::stats {
namespace {

/// P(W ≥ w) for w = 0 … Σ ranks, W the sum of a random half of these ranks; one entry more, which is 0.
std::vector<double> tails(std::span<const std::size_t> ranks) {
  std::vector<double> chances{1};
  for (const std::size_t rank : ranks) {
    std::vector<double> next(chances.size() + rank, 0);
    for (std::size_t w = 0; w < chances.size(); ++w) {
      next[w] += chances[w] / 2;
      next[w + rank] += chances[w] / 2;
    }
    chances = std::move(next);
  }
  chances.push_back(0);
  for (std::size_t w = chances.size() - 1; w-- > 0;) chances[w] += chances[w + 1];
  return chances;
}

/// Twice the rank of each size, an integer also where ties share theirs; of what is sorted.
std::vector<std::size_t> doubled_ranks(std::span<const double> sorted_sizes) {
  std::vector<std::size_t> ranks(sorted_sizes.size());
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && sorted_sizes[last + 1] == sorted_sizes[first]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[i] = first + last + 2;
    first = last + 1;
  }
  return ranks;
}

/// P(W ≥ observed), W the ranks of what is above the centre, times `sign`.
double tail(std::span<const double> differences, double centre, double sign) {
  std::vector<double> from_centre;
  for (const double difference : differences) {
    if (difference != centre) from_centre.push_back(sign * (difference - centre));
  }
  const auto size = [](double value) { return std::abs(value); };
  std::ranges::sort(from_centre, {}, size);
  std::vector<double> sizes(from_centre.size());
  std::ranges::transform(from_centre, sizes.begin(), size);
  const std::vector<std::size_t> ranks = doubled_ranks(sizes);
  std::size_t above = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) above += from_centre[i] > 0 ? ranks[i] : 0;
  return std::min(1.0, tails(ranks)[above]);
}

}  // namespace

double signed_rank_above(std::span<const double> differences, double centre) { return tail(differences, centre, 1); }
double signed_rank_below(std::span<const double> differences, double centre) { return tail(differences, centre, -1); }

CentreInterval signed_rank_interval(std::span<const double> differences, double alpha) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  std::vector<double> means;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) means.push_back((differences[i] + differences[j]) / 2);
  }
  if (means.empty()) return {.estimate = 0, .low = -kInfinite, .high = kInfinite};
  std::ranges::sort(means);
  const std::size_t n = means.size();
  CentreInterval interval{.estimate = (means[(n - 1) / 2] + means[n / 2]) / 2, .low = -kInfinite, .high = kInfinite};
  // The ranks above a centre c sum to the number of means above c: c is rejected while at most `beyond` of them lie on one side of it.
  std::vector<std::size_t> ranks(differences.size());
  std::iota(ranks.begin(), ranks.end(), 1);
  const std::vector<double> chances = tails(ranks);
  std::size_t rejected = 0;  // so many counts, 0 … rejected − 1, are rejected
  while (rejected < n && chances[n - rejected] <= alpha / 2) ++rejected;
  if (rejected == 0) return interval;
  interval.low = means[rejected - 1];
  interval.high = means[n - rejected];
  return interval;
}

bool are_enough(std::span<const double> differences, double width, double alpha) {
  if (differences.size() < kLeastPairs) return false;
  return differences.size() >= kMostPairs || signed_rank_interval(differences, alpha).width() <= width;
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double least = 0;
  for (std::size_t place = 0; place < order.size(); ++place) {
    least = std::max(least, std::min(1.0, static_cast<double>(order.size() - place) * p_values[order[place]]));
    adjusted[order[place]] = least;
  }
  return adjusted;
}

std::vector<Judgement> judge_changes(std::span<const std::vector<double>> differences, double margin, double alpha) {
  std::vector<Judgement> judged;
  std::vector<double> p_values;
  for (const std::vector<double>& row : differences) {
    judged.push_back({.centre = signed_rank_interval(row, alpha)});
    p_values.push_back(std::min(1.0, 2 * std::min(signed_rank_above(row, margin), signed_rank_below(row, -margin))));
  }
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t i = 0; i < judged.size(); ++i) judged[i].p = adjusted[i];
  return judged;
}

}  // namespace dbandit::stats
