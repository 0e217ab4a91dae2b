// Compiled for avx2 alone, by the flags of the kernels; holds nothing but instantiations for that architecture.
#include "floor_rounds.hpp"
#include "kernel/rounds.hpp"

namespace dbandit::bench {

template <class Arch>
void books(kernel::State& state, std::int64_t round) {
  kernel::keep_books<Arch>(state, round);
}

using Arch = xsimd::avx2;
template void floor_rounds<Arch, false>(FloorState&, std::int64_t, std::int64_t);
template void floor_rounds<Arch, true>(FloorState&, std::int64_t, std::int64_t);
template void books<Arch>(kernel::State&, std::int64_t);

}  // namespace dbandit::bench
