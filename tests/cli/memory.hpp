#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/process.hpp"

namespace dbandit::test {

using Words = std::vector<std::string>;

struct Memory {
  double promised = 0;  ///< by `plan`
  double peak = 0;      ///< resident at most, of `run` with the same flags
};

/// A long run may be interrupted once it has what it needs.
inline Memory memory_of(const Words& flags, std::optional<std::chrono::milliseconds> interrupt_after = {}) {
  const Outcome plan = dbandit(Words{"plan"} + flags + Words{"--json"});
  EXPECT_EQ(plan.exit, 0) << plan.err;
  const Outcome run = dbandit(Words{"run"} + flags + Words{"--csv", "--quiet"}, {.interrupt_after = interrupt_after});
  EXPECT_TRUE(run.exit == 0 || (interrupt_after && run.exit == 130)) << run.err;
  if (plan.exit != 0) return {};
  return {nlohmann::json::parse(plan.out)["memory_bytes"], 1024.0 * static_cast<double>(run.peak_kilobytes)};
}

/// Neither broken nor empty: at least the peak, at most three times it and 16 MB.
inline void expect_kept(const Memory& memory, const std::string& what) {
  EXPECT_LE(memory.peak, memory.promised) << what;
  EXPECT_LE(memory.promised, 3 * memory.peak + 16e6) << what;
}

inline std::string rates(int arms) {
  std::string text = "0.5";
  for (int arm = 1; arm < arms; ++arm) text += ",0.3";
  return text;
}

}  // namespace dbandit::test
