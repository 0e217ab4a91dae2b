// Compiled for sse2 alone; holds nothing but instantiations for that architecture.
#include "kernel/leap/engine.hpp"
#include "kernel/rounds.hpp"

namespace dbandit::kernel {

using Arch = xsimd::sse2;
template void rounds<Arch, false>(State&, std::int64_t, std::int64_t);
template void rounds<Arch, true>(State&, std::int64_t, std::int64_t);
template void leap<Arch, false>(State&, const Recording&, std::size_t);
template void leap<Arch, true>(State&, const Recording&, std::size_t);
template void poisson_bounds<Arch>(model::Solver, const double*, double, double*, std::size_t);
template void estimate_quantiles<Arch>(double, const std::uint32_t*, float*, float*, std::size_t);
template void draw_words<Arch>(std::uint64_t, rng::Stream, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t*, std::uint64_t*,
                               std::size_t);

}  // namespace dbandit::kernel
