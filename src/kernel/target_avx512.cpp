// Compiled for avx512 alone; holds nothing but instantiations for that architecture.
#include "kernel/rounds.hpp"

namespace dbandit::kernel {

template void rounds<xsimd::avx512bw>(State&, std::int64_t, std::int64_t);

}  // namespace dbandit::kernel
