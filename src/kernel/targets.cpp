#include <algorithm>

#include "dbandit/kernel/target.hpp"
#include "kernel/simulate.hpp"

namespace xsimd {
struct sse2;
struct avx2;
struct avx512bw;
}  // namespace xsimd

namespace dbandit::kernel {

// Defined in target_*.cpp, each compiled for its own instruction set.
template <class Arch, bool profiled>
void rounds(State& state, std::int64_t first, std::int64_t last);
template <class Arch, bool profiled>
void leap(State& state, const Recording& recording, std::size_t first_row);
template <class Arch>
void poisson_bounds(model::Solver solver, const double* conversions, double beta, double* bounds, std::size_t count);
template <class Arch>
void estimate_quantiles(double shape, const std::uint32_t* keys, float* normals, float* estimates, std::size_t count);
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
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
}
bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"); }
bool has_sse2() { return true; }

constexpr Target kTargets[] = {
    {"avx512", "AVX-512 F, BW, CD, DQ and VL", has_avx512, simulate_on<xsimd::avx512bw>, poisson_bounds<xsimd::avx512bw>,
     draw_words<xsimd::avx512bw>, estimate_quantiles<xsimd::avx512bw>},
    {"avx2", "AVX2, BMI2 and FMA (x86-64-v3)", has_avx2, simulate_on<xsimd::avx2>, poisson_bounds<xsimd::avx2>, draw_words<xsimd::avx2>,
     estimate_quantiles<xsimd::avx2>},
    {"sse2", "any 64-bit x86", has_sse2, simulate_on<xsimd::sse2>, poisson_bounds<xsimd::sse2>, draw_words<xsimd::sse2>,
     estimate_quantiles<xsimd::sse2>},
};

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
