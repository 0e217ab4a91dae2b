#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dbandit/model/experiment.hpp"

namespace dbandit::rng {
enum class Stream : std::uint32_t;
}

/// What exists once per instruction set. A target is a value in a list, so tests, benchmarks and the command line walk
/// the list and can force one. All targets give the same bytes.
namespace dbandit::kernel {

/// Where the time of a round goes, in the order of the round.
enum class Stage { index, ties, draw, delay, calendar, books, disclose };
inline constexpr std::array<std::string_view, 7> kStageNames = {"index", "ties", "draw", "delay", "calendar", "books", "disclose"};

/// What a simulation did beside its results.
struct Profile {
  std::array<double, kStageNames.size()> ticks{};  ///< of the time-stamp counter, by stage
  double decisions = 0;                            ///< lanes and rounds decided by index
  double resolved = 0;                             ///< of these, left by the vectors to the exact comparison
  double looks = 0;                                ///< at replicas that leap
  double leapt = 0;                                ///< rounds that these played
};

struct Target {
  std::string_view name;         ///< "avx512", "avx2", "sse2"
  std::string_view requirement;  ///< what the CPU must have, in words
  bool (*supported)();

  /// Simulates a block; exposure: buffer or recursion. With a profile the stages are timed (a clock read per stage, round and block).
  void (*simulate)(const model::Experiment&, const model::Block&, model::Exposure, model::Solver, model::Paths&, Profile*);

  // The kernels by themselves, for tests and benchmarks. Arrays are on a cache line and padded to a multiple of kLaneGroup.
  /// h(S, β) of `count` values of S (§5.3): U = h/Ñ.
  void (*poisson_bounds)(model::Solver, const double* conversions, double beta, double* bounds, std::size_t count);
  /// The words at counters {first + i, counter1}, i < count.
  void (*draw)(std::uint64_t seed, rng::Stream, std::uint64_t arm, std::uint64_t first, std::uint64_t counter1, std::uint64_t* low,
               std::uint64_t* high, std::size_t count);
  /// The quantile of Gamma(shape, 1) at uniforms with these leading 32 bits, as the filter of Thompson sampling estimates it, and the
  /// normal quantile that it sees; `expanded`: as it does for a shape of 16 and more that changes every round. Padded to 16.
  void (*estimate_quantiles)(double shape, bool expanded, const std::uint32_t* keys, float* normals, float* estimates, std::size_t count);
};

/// Every target this program was built with, best first.
std::span<const Target> targets();
/// The first one that this CPU supports; the last is the baseline, so there always is one.
const Target& best_target();
/// nullptr when there is none of that name.
const Target* find_target(std::string_view name);

}  // namespace dbandit::kernel
