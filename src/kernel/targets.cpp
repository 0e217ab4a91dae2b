#include <algorithm>

#include "dbandit/kernel/target.hpp"
#include "kernel/simulate.hpp"
#include "kernel/target_list.hpp"

#define ARCHITECTURE(name, arch, requirement, needs) struct arch;
namespace xsimd {
DBANDIT_TARGETS(ARCHITECTURE)
}  // namespace xsimd

namespace dbandit::kernel {

// Defined in what target.cpp.in becomes, once for each instruction set.
template <class Arch, bool profiled>
void rounds(State& state, std::int64_t first, std::int64_t last);
template <class Arch, bool profiled>
void leap(State& state, const Recording& recording, std::size_t first_row);
template <class Arch>
void poisson_bounds(model::Solver solver, const double* conversions, double beta, double* bounds, std::size_t count);
template <class Arch>
void estimate_quantiles(double shape, bool expanded, const std::uint32_t* keys, float* normals, float* estimates, std::size_t count);
template <class Arch>
void draw_words(std::uint64_t seed, rng::Stream stream, std::uint64_t arm, std::uint64_t first, std::uint64_t counter1, std::uint64_t* low,
                std::uint64_t* high, std::size_t count);

namespace {

template <class Arch>
void simulate_on(const model::Experiment& experiment, const model::Block& block, model::Exposure exposure, model::Solver solver,
                 model::Paths& paths, Profile* profile) {
  simulate(profile != nullptr ? &rounds<Arch, true> : &rounds<Arch, false>, profile != nullptr ? &leap<Arch, true> : &leap<Arch, false>,
           experiment, block, exposure, solver, paths, profile);
}

// The compiler's own detection, which also asks the operating system whether it saves the registers.
#define TARGET(name, arch, requirement, needs) \
  Target{#name,                                \
         requirement,                          \
         []() -> bool { return needs; },       \
         simulate_on<xsimd::arch>,             \
         poisson_bounds<xsimd::arch>,          \
         draw_words<xsimd::arch>,              \
         estimate_quantiles<xsimd::arch>},
constexpr Target kTargets[] = {DBANDIT_TARGETS(TARGET)};

}  // namespace

std::span<const Target> targets() { return kTargets; }

const Target& best_target() {
  return *std::find_if(std::begin(kTargets), std::end(kTargets), [](const Target& target) { return target.supported(); });
}

const Target* find_target(std::string_view name) {
  const auto* found = std::find_if(std::begin(kTargets), std::end(kTargets), [&](const Target& target) { return target.name == name; });
  return found == std::end(kTargets) ? nullptr : found;
}

}  // namespace dbandit::kernel
