#include "rng/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rng/draws.hpp"

namespace dbandit::rng {

Candidates Candidates::of(std::uint64_t seed, std::span<const double> rates) {
  const double highest = *std::max_element(rates.begin(), rates.end());
  if (!(highest > 0)) return {seed, std::numeric_limits<int>::max()};
  int exponent = 0;
  const double fraction = std::frexp(highest, &exponent);  // within [1/2, 1)
  return {seed, fraction == 0.5 ? 1 - exponent : -exponent};
}

std::uint64_t Candidates::mask(std::uint64_t replica, std::uint64_t block) const {
  std::uint64_t left = ~std::uint64_t{0};
  for (int word = 0; word < halvings && left != 0; word += 2) {
    const Words call = words(seed, Stream::candidates, static_cast<std::uint64_t>(word / 2), replica, block);
    left &= call[0];
    if (word + 1 < halvings) left &= call[1];
  }
  return left;
}

std::uint64_t Candidates::mark(std::uint64_t replica, std::uint64_t round) const {
  return words(seed, Stream::outcome, 0, replica, round)[0];
}

Uint128 Candidates::limit(double rate) const {
  if (!(rate > 0)) return 0;
  return static_cast<Uint128>(std::ceil(std::ldexp(rate, 64 + halvings)));  // a change of exponent: exact
}

}  // namespace dbandit::rng
