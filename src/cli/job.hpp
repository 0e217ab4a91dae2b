#pragma once

#include <span>
#include <vector>

#include "dbandit/report/manifest.hpp"
#include "dbandit/sim/run.hpp"
#include "progress.hpp"
#include "text_option.hpp"

namespace dbandit::cli {

/// --threads as given; 0 when it was not. sim::thread_count says how many that is.
int asked_threads(const TextOption& option);

/// What --target takes: auto, or one of kernel::targets().
Expected target_names();
/// --target; nullptr, left to the program, when it was not given.
const kernel::Target* chosen_target(const TextOption& option, sim::Engine engine);

/// --vary, which may be given several times.
void declare_vary(CLI::App& command, std::vector<std::string>& into, const std::string& help, const std::string& group);

/// What the commands that run many specs have in common.
struct JobFlags {
  TextOption threads;
  ProgressFlag progress;
  bool quiet = false;
  void declare(CLI::App& command);
};

/// The specs as one parallel job under one progress bar. Throws UserError (exit 130) when it was interrupted: half a job is no
/// result.
std::vector<sim::Result> run_job(std::span<const sim::Spec> specs, const JobFlags& flags, const kernel::Target* target = nullptr);
/// Of the whole job.
report::Manifest job_manifest(std::span<const sim::Result> results);

}  // namespace dbandit::cli
