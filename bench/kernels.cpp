#include "kernels.hpp"

namespace xsimd {
struct sse2;
struct avx2;
struct avx512bw;
}  // namespace xsimd

namespace dbandit::bench {

// Defined in target_*.cpp, each compiled for its own instruction set.
template <class Arch, bool klucb>
void floor_rounds(FloorState& state, std::int64_t first, std::int64_t last);
template <class Arch>
void books(kernel::State& state, std::int64_t round);

namespace {

template <class Arch>
constexpr Kernels kKernels{floor_rounds<Arch, false>, floor_rounds<Arch, true>, books<Arch>};

}  // namespace

const Kernels& kernels(const kernel::Target& target) {
  if (target.name == "avx512") return kKernels<xsimd::avx512bw>;
  if (target.name == "avx2") return kKernels<xsimd::avx2>;
  return kKernels<xsimd::sse2>;
}

}  // namespace dbandit::bench
