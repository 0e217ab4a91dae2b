#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dbandit/report/directory.hpp"
#include "dbandit/report/manifest.hpp"
#include "dbandit/sim/run.hpp"
#include "page.hpp"
#include "progress.hpp"
#include "sim/checkpoint.hpp"
#include "terminal.hpp"
#include "text_option.hpp"

namespace dbandit::cli {

/// --threads as given; 0 when it was not. sim::thread_count says how many that is.
int asked_threads(const TextOption& option);

/// --target; nullptr, left to the program, when it was not given.
const kernel::Target* chosen_target(const TextOption& option, sim::Engine engine);

/// The values that --target takes.
Expected target_names();

/// How a job is run: what the commands that simulate have in common.
struct JobFlags {
  TextOption threads;
  ProgressFlag progress;
  bool quiet = false;
  void declare(Usage& command);
};

/// Where a job is kept: --out, --resume, --shard, --checkpoint-every, --force.
class KeepFlags {
 public:
  /// `name` is that of the command, `standard` says where the results go without --out.
  void declare(Usage& command, const std::string& out_help);
  [[nodiscard]] const std::string* out() const { return out_.value(); }
  [[nodiscard]] const std::string* resume() const { return resume_.value(); }
  [[nodiscard]] bool force() const { return force_; }
  [[nodiscard]] std::chrono::duration<double> interval() const;
  /// 1/1: the whole job.
  [[nodiscard]] sim::Shard shard() const;

 private:
  TextOption shard_, out_, resume_, interval_;
  bool force_ = false;
};

/// What the commands that run a study have in common.
struct StudyFlags {
  KeepFlags keep;
  ReportFlag report;
  JobFlags job;
  ColorFlag color;
  void declare(Usage& command, const std::string& out_help);
};

/// The folder of a job, locked while this lives, and what earlier sessions have left in it.
class RunSession {
 public:
  /// Creates the folder; `must_exist` when there is something to continue. Throws UserError for one that holds files of others, unless
  /// --force was given.
  RunSession(const KeepFlags& flags, std::filesystem::path folder, bool must_exist = false);
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const std::optional<sim::Stored>& stored() const { return checkpoint_->stored(); }
  /// From now on it is the folder of these runs. Throws UserError, ExitCode::mismatch, when it holds another one, or fewer replicas are
  /// asked for than it has; with --force what it holds is moved to FOLDER.1 and kept there until these runs are whole. Where every run has
  /// a folder of its own below, it may hold `others` too.
  void claim(std::span<const sim::Spec> specs, bool others = false);
  /// Whether all that is asked for was done before.
  [[nodiscard]] bool was_finished() const { return was_finished_; }
  sim::Checkpoint& checkpoint() { return *checkpoint_; }
  /// Results are written; what they replace is gone.
  void write(std::span<const report::File> files);
  void finish();

 private:
  void open();
  void set_aside();

  const KeepFlags& flags_;
  std::filesystem::path folder_;
  std::optional<report::Directory> directory_;
  std::optional<sim::Checkpoint> checkpoint_;
  std::optional<std::filesystem::path> aside_;
  bool was_finished_ = false;
};

/// The specs as one parallel job under one progress bar, kept in the session's folder if there is one. An interrupted job is stored, and
/// the results say that they are not complete; `stored_text` is the end of the sentence that tells the user.
struct JobOutcome {
  std::vector<sim::Result> results;
  bool complete = true;
  std::string stored_text;
};
JobOutcome run_job(std::span<const sim::Spec> specs, const JobFlags& flags, const kernel::Target* target, RunSession* session,
                   sim::Shard shard = {});

/// Repeats the command that a folder holds, to continue it there.
ExitCode continue_study(const std::string& folder, std::string_view command);

/// A study: many runs, whose results are worth something together. Nothing when this process was to do a shard, which is then done.
/// Throws UserError (exit 130) when it was interrupted.
std::optional<std::vector<sim::Result>> run_study(std::span<const sim::Spec> specs, const JobFlags& flags, const KeepFlags& keep,
                                                  RunSession& session, bool others = false, const kernel::Target* target = nullptr);

}  // namespace dbandit::cli
