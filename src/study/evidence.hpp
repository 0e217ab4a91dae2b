#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/sim/result.hpp"
#include "dbandit/sim/spec.hpp"

/// What is simulated to reproduce the paper and to judge what it says.
namespace dbandit::study {

enum class Effort { quick, full };

/// A named run: everything but how many replicas and which seed.
struct NamedRun {
  std::string name;    ///< "fig1/low": a folder of results/paper for the figures
  std::string figure;  ///< "fig1", empty when it is no figure of the paper
  std::string shows;   ///< in one sentence
  sim::Settings settings;
  std::int64_t quick = 0, full = 0;  ///< replicas that `claims` takes
};

/// All of them: those of the paper's figures (§7, appendix D) first.
std::span<const NamedRun> named_runs();
const NamedRun& named_run(std::string_view name);
/// The runs of "fig1", "fig2", "fig3" or "all".
std::vector<NamedRun> figure_runs(std::string_view figure);

/// Finished runs by their names, and how much is to be spent on what is sampled without a run.
struct Evidence {
  Effort effort = Effort::full;
  std::uint64_t seed = 1;
  std::map<std::string, sim::Result, std::less<>> runs;

  [[nodiscard]] const sim::Result& run(std::string_view name) const { return runs.find(name)->second; }
  [[nodiscard]] bool has(std::span<const std::string> names) const;
};

/// The command that repeats a run, with the flags that differ from the defaults.
std::string command(const sim::Spec& spec);

}  // namespace dbandit::study
