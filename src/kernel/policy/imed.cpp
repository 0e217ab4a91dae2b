#include "kernel/policy/imed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.hpp"
#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

std::size_t Imed::resolve(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round, std::size_t lane) const {
  const Denominator below = exposure.denominator(books);
  double best = 0;
  for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes) {
    if (below(cell) > 0) best = std::max(best, books.conversions[cell] / below(cell));
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
    const double visible = below(cell), conversions = books.conversions[cell];
    // The logarithm of rng: that of the C library has a last bit that depends on the CPU it runs on.
    const double ratio = conversions > 0 ? visible * best / conversions : 1;
    const double divergence = conversions > 0 ? conversions * ((ratio - 1) - log_of(ratio)) : visible * best;
    indices[arm] = visible > 0 ? divergence + log_of(visible) : -std::numeric_limits<double>::max();
    least = std::min(least, indices[arm]);
  }
  Contest contest(books, ties, round, lane);
  for (std::size_t arm = 0; arm < books.arms; ++arm) {
    if (indices[arm] <= least + kTie * (1 + std::abs(least))) contest.enter(arm, 1, 1);
  }
  return contest.winner();
}

}  // namespace dbandit::kernel
