#include "dbandit/sim/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "dbandit/core/error.hpp"
#include "dbandit/core/suggest.hpp"
#include "dbandit/sim/draft.hpp"
#include "dbandit/sim/spec_file.hpp"

namespace dbandit::sim {

namespace {

constexpr std::string_view kMagic = "dbandit\n";
constexpr std::string_view kRecord = "fold";
constexpr std::uint32_t kFormat = 1;
constexpr std::size_t kHeaderStart = kMagic.size() + 4 + 4;
constexpr std::size_t kRecordStart = kRecord.size() + 4 + 8;
constexpr std::size_t kSum = 8;

template <class T>
void put(std::string& bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

template <class T>
T get(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::uint64_t sum_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

/// A length has a check of its own: without one a flipped bit in it would look like a file that was cut off.
std::uint32_t check_of(std::uint64_t length) { return static_cast<std::uint32_t>(XXH3_64bits(&length, sizeof length)); }

[[noreturn]] void refuse_damage(const std::string& name, std::size_t at, std::string_view what) {
  throw UserError(fmt::format("'{}': damaged at byte {}: {}; delete it to start over", name, at, what), ExitCode::damaged);
}

bool is_zero(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](char c) { return c == '\0'; });
}

struct Header {
  std::string version;
  Spec spec;
  std::size_t bytes = 0;
};

Header read_header(std::string_view bytes, const std::string& name, std::string_view version) {
  if (bytes.size() < kHeaderStart || !bytes.starts_with(kMagic)) refuse_damage(name, 0, "not the beginning of a checkpoint");
  const auto format = get<std::uint32_t>(bytes, kMagic.size());
  const std::size_t end = kHeaderStart + get<std::uint32_t>(bytes, kMagic.size() + 4);
  if (end + kSum > bytes.size()) refuse_damage(name, kMagic.size(), "a header longer than the file");
  if (get<std::uint64_t>(bytes, end) != sum_of(bytes.substr(0, end))) refuse_damage(name, 0, "the header does not match its checksum");
  if (format != kFormat) {
    throw UserError(fmt::format("'{}': written in format {}, this program reads {}; delete it to start over", name, format, kFormat),
                    ExitCode::mismatch);
  }
  Decoder decoder(bytes.substr(kHeaderStart, end - kHeaderStart));
  Header header{.version = decoder.text(), .spec = {}, .bytes = end + kSum};
  const std::string spec = decoder.text();
  if (!decoder.is_whole()) refuse_damage(name, kHeaderStart, "the header does not hold a version and a spec");
  if (header.version != version) {
    throw UserError(fmt::format("'{}': written by a program whose results have version {}, these have {}; delete it to start over", name,
                                dbandit::quoted(header.version), version),
                    ExitCode::mismatch);
  }
  try {
    header.spec = finish(read_spec_text(spec, name));
  } catch (const UserError&) {
    refuse_damage(name, kHeaderStart, "the header does not hold a spec");
  }
  return header;
}

}  // namespace

std::string checkpoint_header(const Spec& spec, std::string_view version) {
  Encoder encoder;
  encoder.text(version);
  encoder.text(spec_text(spec));
  const std::string content = encoder.take();
  std::string header(kMagic);
  put(header, kFormat);
  put(header, static_cast<std::uint32_t>(content.size()));
  header += content;
  put(header, sum_of(header));
  return header;
}

std::string checkpoint_record(const Prefix& prefix) {
  Encoder encoder;
  encoder.prefix(prefix);
  const std::string content = encoder.take();
  std::string record(kRecord);
  put(record, check_of(content.size()));
  put(record, std::uint64_t{content.size()});
  record += content;
  put(record, sum_of(content));
  return record;
}

Stored read_checkpoint(std::string_view bytes, const std::string& name, std::string_view version) {
  Header header = read_header(bytes, name, version);
  Stored stored{.spec = std::move(header.spec), .prefix = {}, .bytes = header.bytes, .notice = {}};
  std::string_view newest;
  while (stored.bytes < bytes.size()) {
    const std::string_view rest = bytes.substr(stored.bytes);
    // Zeros to the end are what a file system leaves that lost power before it had written what it had promised room for.
    const bool cut = rest.size() < kRecordStart || is_zero(rest);
    if (!cut && (!rest.starts_with(kRecord) || get<std::uint32_t>(rest, kRecord.size()) != check_of(get<std::uint64_t>(rest, 8)))) {
      refuse_damage(name, stored.bytes, "not the beginning of a record");
    }
    if (cut || get<std::uint64_t>(rest, 8) > rest.size() - kRecordStart ||
        get<std::uint64_t>(rest, 8) + kSum > rest.size() - kRecordStart) {
      stored.notice = fmt::format("'{}': the last {} bytes are not a whole record and were dropped", name, rest.size());
      break;
    }
    const std::string_view content = rest.substr(kRecordStart, get<std::uint64_t>(rest, 8));
    if (get<std::uint64_t>(rest, kRecordStart + content.size()) != sum_of(content)) {
      refuse_damage(name, stored.bytes, "the record does not match its checksum");
    }
    newest = content;
    stored.bytes += kRecordStart + content.size() + kSum;
  }
  if (newest.empty()) return stored;
  Decoder decoder(newest);
  stored.prefix = decoder.prefix(stored.spec);
  if (!decoder.is_whole() || stored.prefix.blocks > whole_blocks(plan(stored.spec))) {
    refuse_damage(name, stored.bytes - newest.size(), "the record does not hold statistics of its spec");
  }
  return stored;
}

std::size_t whole_blocks(const Plan& plan) { return plan.replicas / plan.block_lanes; }

bool is_finished(const Stored& stored) { return stored.prefix.blocks == whole_blocks(plan(stored.spec)); }

std::optional<std::string> difference(const Spec& stored, const Spec& spec) {
  std::optional<std::string> found;
  for_each_key([&](const auto& key) {
    if (found || key.name == "replicas" || stored.*key.resolved == spec.*key.resolved) return;
    found = fmt::format("{} = {}, not {}", key.name, key_text(stored, key.name), key_text(spec, key.name));
  });
  return found;
}

Checkpoint::Checkpoint(std::filesystem::path directory, std::chrono::duration<double> interval)
    : path_(std::move(directory)), interval_(interval) {
  lock_ = Descriptor(path_, O_RDONLY | O_DIRECTORY);
  if (!lock_.is_open()) fail_io(path_, "cannot be opened", errno);
  // Some network file systems lock no folders: there the user has to see to it.
  if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    throw UserError(fmt::format("'{}': another process is running in it", path_.string()), ExitCode::busy);
  }
  path_ /= "checkpoint";
  due_ += std::chrono::duration_cast<Clock::duration>(interval_);
}

std::optional<Stored> Checkpoint::read() const {
  const Descriptor file(path_, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  if (!file.is_open() && errno == ENOENT) return std::nullopt;
  struct stat status {};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0) fail_io(path_, "cannot be read", errno);
  if (!S_ISREG(status.st_mode)) fail_io(path_, "cannot be read", EINVAL);
  std::string bytes;
  if (!read_all(file, bytes)) fail_io(path_, "cannot be read", errno);
  return read_checkpoint(bytes, path_.string());
}

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
  if (result.blocks_done >= whole_blocks_ || Clock::now() >= due_) store(result);
}

void Checkpoint::store(const Result& result) {
  // A run of less than one block has no prefix; its spec is kept all the same, to be extended.
  const bool is_short = whole_blocks_ == 0;
  const std::size_t blocks = is_short ? 0 : result.blocks_done;
  if (blocks > whole_blocks_ || (blocks == blocks_stored_ && bytes_ > 0)) return;
  const auto start = Clock::now();
  const Timing none{.seconds = 0, .replica_rounds = 0, .policy_seconds = std::vector<double>(result.spec.policies.size())};
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
  const std::filesystem::path passing = path_.string() + ".tmp";
  Descriptor file(passing, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW);
  if (!file.is_open() || !write_all(file, header_) || !write_all(file, record) || !sync(file) || !rename_file(passing, path_) ||
      !sync(lock_)) {
    const int error = errno;
    ::unlink(passing.c_str());
    fail_io(path_, "cannot be written", error);
  }
  file_ = std::move(file);
  bytes_ = header_.size() + record.size();
}

}  // namespace dbandit::sim
