#include "dbandit/sim/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/keys.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "dbandit/sim/until.hpp"
#include "frames.hpp"

namespace dbandit::sim {

std::string checkpoint_header(const Spec& spec, std::string_view version) {
  Encoder encoder;
  write_identity(encoder, spec, version);
  return header_frame(encoder.take());
}

std::string checkpoint_record(const Prefix& prefix) {
  Encoder encoder;
  encoder.prefix(prefix);
  return record_frame(encoder.take());
}

Stored read_checkpoint(std::string_view bytes, const std::string& name, std::string_view version) {
  Frames frames = read_frames(bytes, name);
  Decoder header(frames.header);
  Stored stored{.spec = read_identity(header, name, version), .prefix = {}, .bytes = frames.bytes, .notice = std::move(frames.notice)};
  if (!header.is_whole()) refuse_damage(name, 0, "the header holds more than a version and a spec");
  if (frames.records.empty()) return stored;
  const std::string_view newest = frames.records.back();
  Decoder decoder(newest);
  stored.prefix = decoder.prefix(stored.spec);
  if (!decoder.is_whole() || stored.prefix.blocks > whole_blocks(plan(stored.spec))) {
    refuse_damage(name, static_cast<std::size_t>(newest.data() - bytes.data()), "the record does not hold statistics of its spec");
  }
  return stored;
}

std::size_t whole_blocks(const Plan& plan) { return plan.replicas / plan.block_lanes; }

bool is_finished(const Stored& stored) {
  return stored.prefix.blocks == whole_blocks(plan(stored.spec)) || is_precise(stored.spec, stored.prefix.blocks, stored.prefix.stats);
}

std::optional<std::string> difference(const Spec& stored, const Spec& spec) {
  std::optional<std::string> found;
  for_each_key([&](const auto& key) {
    if (found || key.name == "replicas" || (*stored).*key.field == (*spec).*key.field) return;
    found = fmt::format("{} = {}, not {}", key.name, key_text(*stored, key.name), key_text(*spec, key.name));
  });
  return found;
}

Checkpoint::Checkpoint(std::filesystem::path directory, std::chrono::duration<double> interval)
    : path_(std::move(directory)), interval_(interval) {
  lock_ = lock_folder(path_);
  path_ /= "checkpoint";
  due_ += std::chrono::duration_cast<Clock::duration>(interval_);
}

std::optional<Stored> read_checkpoint_file(const std::filesystem::path& file) {
  const std::optional<std::string> bytes = read_stored(file);
  if (!bytes) return std::nullopt;
  return read_checkpoint(*bytes, file.string());
}

std::optional<Stored> Checkpoint::read() const { return read_checkpoint_file(path_); }

void Checkpoint::begin(const Spec& spec, const Stored* continued) {
  header_ = checkpoint_header(spec);
  whole_blocks_ = whole_blocks(plan(spec));
  blocks_stored_ = continued != nullptr ? continued->prefix.blocks : 0;
  // Another number of replicas is another header, hence another file; what is not whole must not be appended to.
  if (continued == nullptr || continued->spec != spec || !continued->notice.empty()) return;
  file_ = Descriptor(path_, O_WRONLY | O_APPEND | O_NOFOLLOW);
  if (!file_.is_open()) fail_io(path_, "cannot be written", errno);
  bytes_ = continued->bytes;
}

void Checkpoint::folded(const Result& result) {
  const bool is_last = result.blocks_done >= whole_blocks_ || is_precise(result.spec, result.blocks_done, result.stats);
  if (is_last || Clock::now() >= due_) store(result);
}

void Checkpoint::store(const Result& result) {
  // A run of less than one block has no prefix; its spec is kept all the same, to be extended.
  const bool is_short = whole_blocks_ == 0;
  const std::size_t blocks = is_short ? 0 : result.blocks_done;
  if (blocks > whole_blocks_ || (blocks == blocks_stored_ && bytes_ > 0)) return;
  const auto start = Clock::now();
  const Timing none{.seconds = 0, .replica_rounds = 0, .policy_seconds = std::vector<double>(result.spec->policies.size())};
  const std::string record = checkpoint_record(is_short ? Prefix{0, {}, none} : Prefix{blocks, result.stats, result.timing});
  constexpr std::size_t most_records = 8;
  if (bytes_ == 0 || bytes_ > most_records * (header_.size() + record.size())) {
    replace(record);
  } else {
    append(record);
  }
  blocks_stored_ = blocks;
  const auto now = Clock::now();
  constexpr double share = 0.01, bytes_per_second = 4e6;
  const double cost = std::chrono::duration<double>(now - start).count() / share;
  const double traffic = static_cast<double>(record.size()) / bytes_per_second;
  const double pause = interval_.count() > 0 ? std::max({interval_.count(), cost, traffic}) : 0;
  due_ = now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(pause));
}

void Checkpoint::append(std::string_view record) {
  if (!write_all(file_, record) || !sync(file_)) {
    const int error = errno;
    static_cast<void>(!::ftruncate(file_.get(), static_cast<off_t>(bytes_)));
    fail_io(path_, "cannot be written", error);
  }
  bytes_ += record.size();
}

void Checkpoint::replace(std::string_view record) {
  const std::string bytes = header_ + std::string(record);
  file_ = replace_file(path_, lock_, bytes);
  bytes_ = bytes.size();
}

}  // namespace dbandit::sim
