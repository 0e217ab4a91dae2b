#include "kernels.hpp"

#include <algorithm>
#include <iterator>

#include "kernel/target_list.hpp"

#define ARCHITECTURE(name, arch, requirement, needs) struct arch;
namespace xsimd {
DBANDIT_TARGETS(ARCHITECTURE)
}  // namespace xsimd

namespace dbandit::bench {

// Defined in what target.cpp.in becomes, once for each instruction set.
template <class Arch, bool klucb>
void floor_rounds(FloorState& state, std::int64_t first, std::int64_t last);
template <class Arch>
void books(kernel::State& state, std::int64_t round);

namespace {

#define KERNELS(name, arch, requirement, needs) {floor_rounds<xsimd::arch, false>, floor_rounds<xsimd::arch, true>, books<xsimd::arch>},
constexpr Kernels kKernels[] = {DBANDIT_TARGETS(KERNELS)};

}  // namespace

const Kernels& kernels(const kernel::Target& target) {
  const auto targets = kernel::targets();
  return kKernels[std::find_if(targets.begin(), targets.end(), [&](const auto& row) { return row.name == target.name; }) - targets.begin()];
}

}  // namespace dbandit::bench
