#include "kernel/policy/sampling.hpp"

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

void finish_samples(const Sampling& sampling, const Books& books, std::int64_t round, std::size_t listed) {
  for (std::size_t i = 0; i < listed; ++i) {
    const std::size_t cell = sampling.unsure[i], arm = cell / books.lanes, lane = cell % books.lanes;
    sampling.samples[cell] =
        rng::gamma_at(books.seed, books.first + lane, static_cast<std::uint64_t>(round), arm, books.conversions[cell] + sampling.shape);
  }
}

std::size_t resolve(const Sampling& sampling, const Books& books, const Denominator& exposure, const Ties& ties, std::int64_t round,
                    std::size_t lane) {
  Contest contest(books, ties, round, lane);
  do {
    for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
      contest.enter(arm, sampling.samples[cell], exposure(cell) + sampling.rate);
    }
  } while (contest.again());
  return contest.winner();
}

}  // namespace dbandit::kernel
