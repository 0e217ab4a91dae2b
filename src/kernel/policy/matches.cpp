#include "kernel/policy/matches.hpp"

#include <algorithm>

namespace dbandit::kernel {

void Matches::size(const Books& books) {
  narrow = books.horizon < 65536;
  window = static_cast<std::size_t>(books.window);
}

void Matches::declare(Rows& rows, const Books& books) {
  const std::size_t width = narrow ? 2 : 4;
  rows(sums, books.cells());
  rows(latest, books.lanes);
  rows(count, books.lanes);
  rows(growth, kBlock * books.cells(), width);
  rows(at_most, stride() * books.lanes, width);
  stretches = rows.room<Stretch>(most() * books.lanes);
}

void Matches::fill(const Books& books) { std::fill_n(latest, books.lanes, -1.0); }

}  // namespace dbandit::kernel
