#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/run.hpp"
#include "sim/bytes.hpp"
#include "sim/checkpoint.hpp"
#include "sim/job.hpp"
#include "sim/small_problem.hpp"
#include "sim/sums.hpp"

/// What the tests of checkpoints share: a small run, sums of some of its blocks, files and folders of them.
namespace dbandit::sim {

/// Three blocks, the last one short.
inline Settings small() { return small_problem(20, {"d-ucb", "uniform"}, 300, {10, 20}); }

/// What these blocks of a run add up to.
inline RunState state_of(const Spec& spec, const std::vector<std::size_t>& blocks) {
  const RunOptions options{.threads = 1};
  Run run(spec, options, 1);
  BlockScratch scratch;
  RunSums outcome;
  for (const std::size_t block : blocks) {
    run.simulate(block, scratch, outcome);
    run.add(outcome);
  }
  return run.state();
}

inline std::string record(const Spec& spec, const std::vector<std::size_t>& blocks) {
  return checkpoint_record(spec, state_of(spec, blocks));
}

inline std::string sums_text(const RunState& state, const Spec& spec) { return bytes(statistics(state.total(), plan(spec).grid)); }

struct Attempt {
  std::optional<Stored> stored;
  ExitCode code = ExitCode::done;
  std::string line;
};
inline Attempt attempt(const std::function<Stored()>& read) {
  try {
    return {read(), ExitCode::done, ""};
  } catch (const UserError& error) {
    return {std::nullopt, error.code(), error.what()};
  }
}
inline Attempt attempt(std::string_view content, std::string_view version = kResultsVersion) {
  return attempt([&] { return read_checkpoint(content, "d/checkpoint", version); });
}

class Folder : public testing::Test {
 protected:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "dbandit-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() override { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& content) const { std::ofstream(path / name, std::ios::binary) << content; }
  std::filesystem::path path;
};

}  // namespace dbandit::sim
