#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.hpp"
#include "sim/codec.hpp"
#include "sim/plan.hpp"

namespace dbandit::sim {

class Checkpoint;
class Job;

/// Which numbers this program gives: to be raised by whatever changes a byte of a result (tests/golden tells), so that no run is
/// continued by a program that would have begun it differently.
inline constexpr std::string_view kResultsVersion = "0.2/3";

/// What is stored of one run.
struct StoredRun {
  Spec spec;
  RunState state;
  [[nodiscard]] bool is_finished() const;
};

/// The file DIR/checkpoint:
///
///   header   the version of the results, and the command that they are of
///   record   the spec of a run and its sums
///   record   …
///
/// each with its length and an XXH3 of it (src/sim/frames.hpp). Of each run the last whole record counts. Records are appended and synced;
/// when they are many, header and newest records take the place of the file by an atomic replace: write, fsync, rename. A shard is the
/// same file; it covers the blocks of its part. Under mpirun every other rank has a file of its own, DIR/checkpoint.RANK, until rank 0 has
/// gathered and stored what they had done.
struct Stored {
  std::vector<std::string> command;  ///< words after the name of the program; none when a library wrote it
  std::vector<StoredRun> runs;
  std::size_t bytes = 0;  ///< of the file, as far as it is whole
  std::string notice;     ///< what was dropped, for the user; empty when nothing was

  /// The run that differs from this spec in nothing but the number of replicas; nullptr when there is none.
  [[nodiscard]] const StoredRun* find(const Spec& spec) const;
};

/// Reads a checkpoint file of any content. Throws UserError: ExitCode::damaged, which says at which byte, or
/// ExitCode::mismatch for another version of the program.
Stored read_checkpoint(std::string_view bytes, const std::string& name, std::string_view version = kResultsVersion);
std::string checkpoint_header(std::span<const std::string> command = {}, std::string_view version = kResultsVersion);
std::string checkpoint_record(const Spec& spec, const RunState& state);

/// All that a folder holds: the file and those of other ranks. None when there is no file. Errors as for read_checkpoint, and UserErrors
/// of ExitCode::io.
std::optional<Stored> read_checkpoints(const std::filesystem::path& folder);

/// How the spec at hand differs from the stored one in more than the number of replicas: "seed = 7, not 8". None: not at all.
std::optional<std::string> difference(const Spec& stored, const Spec& spec);

/// "2/5". None when it is not one.
std::optional<Shard> parse_shard(std::string_view text);

/// Adds up the checkpoints of shards, given in any order. Throws UserError, ExitCode::mismatch: when they are not of the same runs, when a
/// block is in two of them, and when one is missing.
std::vector<StoredRun> merge_checkpoints(std::span<const std::filesystem::path> folders);

/// The results of runs as they are stored; kept in a checkpoint, if there is one, which must be empty.
std::vector<Result> results_of(std::span<const StoredRun> runs, Checkpoint* keep);

/// A folder in which one process at a time keeps the state of a job. Failures are UserErrors of ExitCode::io; a second process
/// is refused with ExitCode::busy.
class Checkpoint {
 public:
  using Seconds = std::chrono::duration<double>;
  /// Stores at most so often, and in any case no more than 1 % of the time and 4 MB a second.
  explicit Checkpoint(std::filesystem::path folder, Seconds interval = std::chrono::seconds(2));
  /// What another rank than the first has done since the last gathering.
  Checkpoint(std::filesystem::path folder, Seconds interval, int rank);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] Seconds interval() const { return interval_; }
  /// What was there when it was opened; none when there was no file.
  [[nodiscard]] const std::optional<Stored>& stored() const { return stored_; }
  /// What the header says to those who ask how to go on.
  void set_command(std::vector<std::string> words) { command_ = std::move(words); }

  /// The job takes up what is stored of its runs, and is stored here from now on.
  void begin(Job& job);
  /// To be told after every block, by whoever simulated it: stores when it is time to.
  void added(const Job& job);
  /// Stores now what has changed.
  void store(const Job& job);
  /// At the end of a session: the newest records alone, with the seconds that each run took, known only now.
  void finish(const Job& job);
  /// All that other ranks have done is in the job: stores it, and removes their files.
  void gathered(const Job& job);
  [[nodiscard]] std::size_t blocks_stored() const;

 private:
  using Clock = std::chrono::steady_clock;
  void write(const std::string& records);
  void replace();
  [[nodiscard]] bool is_gone() const;

  std::filesystem::path folder_, path_;
  bool is_first_ = true;  ///< of the ranks
  Descriptor lock_, file_;
  Seconds interval_;
  std::optional<Stored> stored_;
  std::vector<std::string> command_;
  std::mutex mutex_;                           ///< guards what follows
  std::string specs_;                          ///< records of the runs before their first block, and of those that are not the job's
  std::vector<std::string> newest_;            ///< by run: its last record
  std::vector<std::size_t> blocks_, begun_;    ///< by run: how many blocks that has, and had when the session began
  std::vector<std::filesystem::path> others_;  ///< files of other ranks, whose content is in ours once it is stored
  std::size_t bytes_ = 0;                      ///< of the file; 0: it is to be replaced
  std::atomic<Clock::time_point> due_;
};

}  // namespace dbandit::sim
