#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "dbandit/core/file.hpp"
#include "dbandit/sim/block.hpp"
#include "dbandit/sim/codec.hpp"
#include "dbandit/sim/plan.hpp"

/// One run on several machines that do not know of each other. A merge of moments is not associative, so a shard keeps every
/// block by itself and the merge folds them in plan order: to the byte what one machine would have folded. A block takes about
/// P (24 (3R + K + P) + 2 L B) bytes, with R recorded rounds, K arms, P policies, L lanes and B = min(R, 50): few recorded rounds
/// (--at) keep shards small.
namespace dbandit::sim {

/// The index-th of count parts of a plan, 1 ≤ index ≤ count: contiguous blocks, as equal as can be.
struct Shard {
  std::size_t index = 1, count = 1;
  [[nodiscard]] std::size_t begin(const Plan& plan) const { return plan.blocks * (index - 1) / count; }
  [[nodiscard]] std::size_t end(const Plan& plan) const { return plan.blocks * index / count; }
  friend bool operator==(const Shard&, const Shard&) = default;
};
/// "2/5". None when it is not one.
std::optional<Shard> parse_shard(std::string_view text);

/// DIR/shard: a header with version, spec and shard, then a record per block. Errors are those of a Checkpoint.
class ShardFile {
 public:
  /// Continues the file when there is one; refuses one of another run.
  ShardFile(std::filesystem::path directory, const Spec& spec, Shard shard, std::chrono::duration<double> interval);
  [[nodiscard]] std::size_t blocks_stored() const { return blocks_stored_; }
  [[nodiscard]] const std::string& notice() const { return notice_; }
  void add(const BlockOutcome& outcome);
  /// Until all that was added is on the disk.
  void flush();

 private:
  std::filesystem::path path_;
  Descriptor lock_, file_;
  std::chrono::duration<double> interval_;
  std::string waiting_, notice_;
  std::size_t blocks_;  ///< of the shard
  std::size_t bytes_ = 0, blocks_stored_ = 0, blocks_waiting_ = 0;
  std::chrono::steady_clock::time_point due_;
};

struct Merged {
  Spec spec;
  Prefix prefix;  ///< all blocks of the plan
};
/// Folds the shards of one run, given in any order. Throws UserError: ExitCode::mismatch when they are not all shards of one run,
/// or not all of it.
Merged merge_shards(std::span<const std::filesystem::path> directories);

}  // namespace dbandit::sim
