#include "dbandit/sim/shard.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "dbandit/core/error.hpp"
#include "dbandit/core/text.hpp"
#include "dbandit/sim/checkpoint.hpp"
#include "frames.hpp"

namespace dbandit::sim {

namespace {

constexpr std::size_t kMostShards = 1000000;

struct Content {
  Spec spec;
  Shard shard;
  Frames frames;
};

/// `bytes` must outlive what is returned.
Content read_shard(std::string_view bytes, const std::string& name) {
  Frames frames = read_frames(bytes, name);
  Decoder header(frames.header);
  const Spec spec =
      read_identity(header, name, kResultsVersion);  // by itself: g++ 12 destroys what throws among the braces of an aggregate twice
  const std::uint64_t index = header.number(), count = header.number();
  const Content content{spec, {index, count}, std::move(frames)};
  if (!header.is_whole() || index < 1 || index > count || count > kMostShards) refuse_damage(name, 0, "the header does not hold a shard");
  const Plan plan = sim::plan(content.spec);
  if (content.frames.records.size() > content.shard.end(plan) - content.shard.begin(plan)) {
    refuse_damage(name, content.frames.bytes, "more blocks than the shard has");
  }
  return content;
}

std::string shard_header(const Spec& spec, Shard shard) {
  Encoder encoder;
  write_identity(encoder, spec, kResultsVersion);
  encoder.number(shard.index);
  encoder.number(shard.count);
  return header_frame(encoder.take());
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw UserError(fmt::format("'{}': {}", path.string(), what), ExitCode::mismatch);
}

}  // namespace

std::optional<Shard> parse_shard(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '/');
  if (parts.size() != 2) return std::nullopt;
  const Shard shard{parse_number<std::size_t>(parts[0]).value_or(0), parse_number<std::size_t>(parts[1]).value_or(0)};
  return shard.index >= 1 && shard.index <= shard.count && shard.count <= kMostShards ? std::optional(shard) : std::nullopt;
}

ShardFile::ShardFile(std::filesystem::path directory, const Spec& spec, Shard shard, std::chrono::duration<double> interval)
    : path_(directory / "shard"),
      lock_(lock_folder(directory)),
      interval_(interval),
      blocks_(shard.count == 0 ? 0 : shard.end(plan(spec)) - shard.begin(plan(spec))),
      due_(std::chrono::steady_clock::now()) {
  const std::optional<std::string> bytes = read_stored(path_);
  if (bytes) {
    const Content content = read_shard(*bytes, path_.string());
    if (content.shard != shard) refuse(path_, fmt::format("holds shard {}/{}", content.shard.index, content.shard.count));
    if (const auto other = difference(content.spec, spec)) refuse(path_, "holds a run with " + *other);
    if (content.spec != spec) refuse(path_, fmt::format("holds a run with replicas = {}, not {}", content.spec->replicas, spec->replicas));
    bytes_ = content.frames.bytes;
    blocks_stored_ = content.frames.records.size();
    notice_ = content.frames.notice;
  }
  if (!bytes) {
    const std::string header = shard_header(spec, shard);
    file_ = replace_file(path_, lock_, header);
    bytes_ = header.size();
    return;
  }
  file_ = Descriptor(path_, O_WRONLY | O_APPEND | O_NOFOLLOW);
  if (!file_.is_open() || ::ftruncate(file_.get(), static_cast<off_t>(bytes_)) != 0) fail_io(path_, "cannot be written", errno);
}

void ShardFile::add(const BlockOutcome& outcome) {
  Encoder encoder;
  for (const double seconds : outcome.policy_seconds) encoder.real(seconds);
  encoder.stats(outcome.stats);
  const std::string record = record_frame(encoder.take());
  // Said after the first block, not when it is too late; a file without blocks would be in the way of the next attempt.
  if (const auto all = static_cast<double>(record.size()) * static_cast<double>(blocks_); all > static_cast<double>(kLargestCheckpoint)) {
    if (blocks_stored_ == 0) ::unlink(path_.c_str());
    throw UserError(
        fmt::format("--shard: its {} blocks would take {:.1f} GB, 'dbandit merge' reads up to {:.1f} GB; allowed are more shards", blocks_,
                    all / 1e9, static_cast<double>(kLargestCheckpoint) / 1e9));
  }
  waiting_ += record;
  ++blocks_waiting_;
  constexpr std::size_t most_waiting = 8 << 20;
  if (std::chrono::steady_clock::now() >= due_ || waiting_.size() > most_waiting) flush();
}

void ShardFile::flush() {
  if (waiting_.empty()) return;
  if (!write_all(file_, waiting_) || !sync(file_)) {
    const int error = errno;
    static_cast<void>(!::ftruncate(file_.get(), static_cast<off_t>(bytes_)));
    fail_io(path_, "cannot be written", error);
  }
  bytes_ += waiting_.size();
  waiting_.clear();
  blocks_stored_ += std::exchange(blocks_waiting_, 0);
  due_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(interval_);
}

Merged merge_shards(std::span<const std::filesystem::path> directories) {
  // Headers first, so that nothing is folded of what does not fit together; then one file after the other.
  std::vector<std::pair<Shard, std::filesystem::path>> shards;
  std::optional<Spec> first;
  for (const std::filesystem::path& directory : directories) {
    const std::filesystem::path path = directory / "shard";
    const std::optional<std::string> bytes = read_stored(path);
    if (!bytes) throw UserError(fmt::format("'{}': there is no shard in it", directory.string()), ExitCode::io);
    const Content content = read_shard(*bytes, path.string());
    if (!first) first = content.spec;
    if (const auto other = difference(*first, content.spec)) refuse(path, "of another run than the first: " + *other);
    if (content.spec != *first) refuse(path, fmt::format("of another run than the first: replicas = {}", content.spec->replicas));
    if (!shards.empty() && content.shard.count != shards.front().first.count) refuse(path, "the number of shards is not that of the first");
    const Plan plan = sim::plan(content.spec);
    const std::size_t blocks = content.shard.end(plan) - content.shard.begin(plan), done = content.frames.records.size();
    if (done < blocks) refuse(path, fmt::format("not finished: {} of {} blocks; run it again to continue", done, blocks));
    shards.emplace_back(content.shard, path);
  }
  std::ranges::sort(shards, {}, [](const auto& shard) { return shard.first.index; });
  for (std::size_t i = 0; i < shards.front().first.count; ++i) {
    if (i < shards.size() && shards[i].first.index == i + 1) continue;
    const bool twice = i > 0 && i < shards.size() && shards[i].first.index == i;
    refuse(shards[twice ? i : 0].second,
           fmt::format("shard {}/{} is {}", twice ? i : i + 1, shards.front().first.count, twice ? "given twice" : "missing"));
  }
  Merged merged{.spec = *first, .prefix = {}};
  const std::size_t policies = merged.spec->policies.size();
  const Plan plan = sim::plan(merged.spec);
  Prefix& prefix = merged.prefix;
  prefix.timing.policy_seconds.resize(policies);
  for (const auto& [shard, path] : shards) {
    const std::optional<std::string> bytes = read_stored(path);
    if (!bytes) fail_io(path, "cannot be read", ENOENT);
    for (const std::string_view record : read_shard(*bytes, path.string()).frames.records) {
      Decoder decoder(record);
      for (double& seconds : prefix.timing.policy_seconds) {
        const double spent = decoder.real();
        seconds += spent;
        prefix.timing.seconds += spent;
      }
      const BlockStats stats = decoder.stats(merged.spec);
      if (!decoder.is_whole() || prefix.blocks >= plan.blocks) refuse_damage(path.string(), 0, "a record that is not a block of its spec");
      prefix.stats.merge(stats);
      prefix.timing.replica_rounds +=
          static_cast<double>(plan.block(prefix.blocks).count * policies) * static_cast<double>(merged.spec->horizon);
      ++prefix.blocks;
    }
  }
  if (prefix.blocks != plan.blocks) refuse(shards.front().second, "the shards changed while they were merged");
  return merged;
}

}  // namespace dbandit::sim
