#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Differences of pairs measured next to each other, of which nothing is assumed but that each is symmetric about the same centre: a
/// disturbance may be as large and as rare as it likes.
namespace dbandit::stats {

/// Wilcoxon's signed-rank test, exact given the sizes |d − centre| (ties share their ranks, zeros are left out): the chance of ranks as
/// high as these, or higher, if the true centre were `centre` or below. 1 without a difference.
double signed_rank_above(std::span<const double> differences, double centre);
/// As low as these, or lower, if it were `centre` or above.
double signed_rank_below(std::span<const double> differences, double centre);

/// The centre of the differences: the median of all means of two (Hodges and Lehmann), and the centres that the test does not reject.
struct CentreInterval {
  double estimate = 0;
  double low = 0, high = 0;  ///< infinite: so few pairs say nothing
  [[nodiscard]] double width() const { return high - low; }
};
/// Misses the centre with a chance of `alpha` at most.
CentreInterval signed_rank_interval(std::span<const double> differences, double alpha);

/// Whether there are pairs enough: at least kLeastPairs, enough for eight questions at once even if one pair was disturbed, and an interval
/// no wider than `width`, or kMostPairs.
inline constexpr std::size_t kLeastPairs = 20, kMostPairs = 200;
bool are_enough(std::span<const double> differences, double width, double alpha);

/// p-values of several questions, each such that "below alpha" is wrong for any of them with a chance of alpha at most (Holm 1979).
std::vector<double> holm(std::span<const double> p_values);

/// A difference of more than `margin` on either side, judged among `differences.size()` questions: p below alpha is a change.
struct Judgement {
  CentreInterval centre;
  double p = 1;  ///< Holm's, of the smaller of the two sides, doubled
};
std::vector<Judgement> judge_changes(std::span<const std::vector<double>> differences, double margin, double alpha);

}  // namespace dbandit::stats
