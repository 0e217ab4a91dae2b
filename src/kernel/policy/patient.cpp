#include "kernel/policy/patient.hpp"

#include "kernel/policy/contest.hpp"

namespace dbandit::kernel {

void Patient::observe(const Books& books, const World&, std::int64_t) const {
  for (std::size_t lane = 0; lane < books.lanes; ++lane) {
    const std::size_t cell = books.arm(lane) * books.lanes + lane;
    allowance[cell] = power(books.pulls[cell], 1 - alpha);
  }
}

std::size_t Patient::resolve(const Books& books, const Exposure&, const Ties& ties, std::int64_t round, std::size_t lane) const {
  Contest contest(books, ties, round, lane);
  do {
    for (std::size_t arm = 0, cell = lane; arm < books.arms; ++arm, cell += books.lanes) {
      contest.enter(arm, (books.conversions[cell] + root[cell] * exploration.root_beta) + allowance[cell], books.pulls[cell]);
    }
  } while (contest.again());
  return contest.winner();
}

}  // namespace dbandit::kernel
