// Compiled for sse2 alone; holds nothing but instantiations for that architecture.
#include "kernel/rounds.hpp"

namespace dbandit::kernel {

template void rounds<xsimd::sse2>(State&, std::int64_t, std::int64_t);

}  // namespace dbandit::kernel
