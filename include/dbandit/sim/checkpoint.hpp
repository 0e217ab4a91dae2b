#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "dbandit/core/file.hpp"
#include "dbandit/sim/codec.hpp"
#include "dbandit/sim/plan.hpp"

namespace dbandit::sim {

/// Which numbers this program gives: to be raised by whatever changes a byte of a result (tests/golden tells), so that no run is
/// continued by a program that would have begun it differently.
inline constexpr std::string_view kResultsVersion = "0.1/2";

/// The file DIR/checkpoint:
///
///   header   the version of the results and the spec
///   record   a Prefix
///   record   …
///
/// each with its length and an XXH3 of it (src/sim/frames.hpp). The last whole record counts. Records are appended and synced; when they
/// are many, header and newest record take the place of the file by a rename. So at any moment, whatever dies, the file holds every prefix
/// that was reported as stored. A prefix ends where a whole block ends: it does not depend on the number of replicas, and a run can be
/// extended.
struct Stored {
  Spec spec;
  Prefix prefix;
  std::size_t bytes = 0;  ///< of the file, as far as it is whole
  std::string notice;     ///< what was dropped, for the user; empty when nothing was
};

/// Reads a checkpoint file of any content. Throws UserError: ExitCode::damaged, which says at which byte, or
/// ExitCode::mismatch for another version of the program.
Stored read_checkpoint(std::string_view bytes, const std::string& name, std::string_view version = kResultsVersion);
/// The same of a file; none when there is none. ExitCode::damaged also for what is no file or too large to be one of ours.
std::optional<Stored> read_checkpoint_file(const std::filesystem::path& file);
std::string checkpoint_header(const Spec& spec, std::string_view version = kResultsVersion);
std::string checkpoint_record(const Prefix& prefix);

/// The blocks of a plan that are whole; a shorter one at the end is never stored, since more replicas would lengthen it.
std::size_t whole_blocks(const Plan& plan);
bool is_finished(const Stored& stored);

/// How the spec at hand differs from the stored one in more than the number of replicas: "seed = 7, not 8". None: not at all.
std::optional<std::string> difference(const Spec& stored, const Spec& spec);

/// A folder in which one process at a time keeps the state of a run. Failures are UserErrors of ExitCode::io; a second process
/// is refused with ExitCode::busy.
class Checkpoint {
 public:
  /// At most so often, and in any case no more than 1 % of the time and 4 MB a second.
  explicit Checkpoint(std::filesystem::path directory, std::chrono::duration<double> interval = std::chrono::seconds(2));

  /// What the file holds; none when there is no file.
  [[nodiscard]] std::optional<Stored> read() const;
  /// From now on `spec` is stored here: after the records of `continued` when there is one, else in place of what there was.
  void begin(const Spec& spec, const Stored* continued);
  /// To be told after every block: stores when it is time to, and always what an extension will continue from.
  void folded(const Result& result);
  /// Stores now, unless that has been done or the run is beyond its last whole block.
  void store(const Result& result);
  [[nodiscard]] std::size_t blocks_stored() const { return blocks_stored_; }

 private:
  using Clock = std::chrono::steady_clock;
  void append(std::string_view record);
  void replace(std::string_view record);

  std::filesystem::path path_;
  Descriptor lock_, file_;
  std::chrono::duration<double> interval_;
  std::string header_;
  std::size_t whole_blocks_ = 0;
  std::size_t blocks_stored_ = 0;
  std::size_t bytes_ = 0;  ///< of the file; 0: it is to be replaced
  Clock::time_point due_ = Clock::now();
};

}  // namespace dbandit::sim
