#include "kernel/policy/sampling.hpp"

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

void Sampling::finish(const Books& books, std::int64_t round, std::size_t listed) const {
  for (std::size_t i = 0; i < listed; ++i) {
    const std::size_t cell = unsure[i], arm = cell / books.lanes, lane = cell % books.lanes;
    samples[cell] = rng::gamma_at(books.seed, books.first + lane, static_cast<std::uint64_t>(round), arm, books.conversions[cell] + shape);
  }
}

std::size_t Sampling::resolve(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round, std::size_t lane) const {
  const Denominator visible = exposure.denominator(books);
  Contest contest(books, ties, round, lane);
  do {
    for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
      contest.enter(arm, samples[cell], visible(cell) + rate);
    }
  } while (contest.again());
  return contest.winner();
}

}  // namespace dbandit::kernel
