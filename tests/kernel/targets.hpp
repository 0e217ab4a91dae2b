#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/kernel/target.hpp"

namespace dbandit::kernel {

inline void PrintTo(const Target& target, std::ostream* out) { *out << target.name; }

}  // namespace dbandit::kernel

namespace dbandit::testing {

/// The targets that this CPU can run, best first.
inline std::vector<kernel::Target> supported_targets() {
  std::vector<kernel::Target> supported;
  for (const kernel::Target& target : kernel::targets()) {
    if (target.supported()) supported.push_back(target);
  }
  return supported;
}

/// Every target of this processor, best first, and what its rounds say they were compiled for.
struct Named {
  std::string_view name, compiled_for;
};
#if defined(__x86_64__)
inline constexpr Named kEveryTarget[] = {{"avx512", "avx512bw"}, {"avx2", "avx2"}, {"sse2", "sse2"}};
#else
inline constexpr Named kEveryTarget[] = {{"neon", "arm64+neon"}};
#endif

/// A suite whose tests run once on each of them: derive from it and instantiate over EachTarget() with kTargetName.
class EveryTarget : public ::testing::TestWithParam<kernel::Target> {};
inline auto EachTarget() { return ::testing::ValuesIn(supported_targets()); }
inline constexpr auto kTargetName = [](const auto& info) { return std::string(info.param.name); };

inline constexpr model::Exposure kExposures[] = {model::Exposure::recursion, model::Exposure::buffer};
inline constexpr model::Solver kSolvers[] = {model::Solver::direct, model::Solver::newton, model::Solver::bisection};

inline model::Paths simulate(const kernel::Target& target, const model::Experiment& experiment, const model::Block& block,
                             model::Exposure exposure = model::Exposure::recursion, model::Solver solver = model::Solver::direct,
                             bool traced = true) {
  model::Paths paths;
  paths.traced = traced;
  target.simulate(experiment, block, exposure, solver, paths, nullptr);
  return paths;
}

}  // namespace dbandit::testing
