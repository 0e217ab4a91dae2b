#pragma once

#include "kernel/policy/largest.hpp"

/// Ties of clamped indices, in one pass. An index clamped to 1 is the largest there can be, so what ties is known without looking for the
/// leader: where many arms tied a round ago (every one of a thousand does, as long as none has been played often) the search for the
/// largest index and the second pass over the arms that it tied with are both spared.
namespace dbandit::kernel {

/// Settles by their keys the vectors in all of whose lanes some arm is clamped for certain and none may be or not; marks them in `until`,
/// [vector] last round that needs no look, and leaves the others as they are. `margin`: the relative error that a numerator may have.
template <class Arch, class Above, class Under>
[[gnu::noinline]] void settle_clamped(const Books& books, Ties& ties, std::int64_t round, double margin, Above above, Under below,
                                      std::int64_t* until) {
  using D = Doubles<Arch>;
  const D least(1 - 2 * margin), most(1 + 4 * margin), none(-1e10);
  draw_keys<Arch>(books, rng::Stream::tie, 0, round, ties.keys, books.lanes);
  ties.keys_are_drawn = true;
  D tied(0.0);
  for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
    if (until[lane / D::size] >= round) continue;
    D best = none, choice(0.0), arm(0.0), count(0.0);
    Mask<Arch> doubtful(false);
    for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes) {
      const D over = above(cell), under = below(cell);
      const auto certain = over * least >= under;
      doubtful = doubtful | ((over * most >= under) & !certain);
      const D key = xsimd::select(certain, load_keys<Arch>(ties.keys + cell), none);
      const auto better = key > best;
      best = xsimd::select(better, key, best);
      choice = xsimd::select(better, arm, choice);
      count = count + where<Arch>(certain, D(1.0));
      arm = arm + D(1.0);
    }
    if (bits<Arch>((best > none) & !doubtful) != (1u << D::size) - 1) continue;
    choice.store_aligned(books.action + lane);
    until[lane / D::size] = round;
    tied = tied + count;
  }
  ties.cells = ties.settled = static_cast<std::size_t>(xsimd::hadd(tied));
}

}  // namespace dbandit::kernel
