#include "sim/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>

#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "frames.hpp"
#include "job.hpp"
#include "ranks.hpp"
#include "sim/keys.hpp"
#include "sim/sums.hpp"
#include "sim/until.hpp"

namespace dbandit::sim {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "checkpoint";

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw UserError(fmt::format("'{}': {}", path.string(), what), ExitCode::mismatch);
}

Spec read_spec(Decoder& decoder, const std::string& name, std::size_t at) {
  try {
    return Spec(read_spec_text(decoder.text(), name));
  } catch (const UserError&) {
    refuse_damage(name, at, "the record does not hold a spec");
  }
}

/// Files of ranks other than the first.
std::vector<fs::path> rank_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string(), prefix = std::string(kName) + ".";
    if (name.starts_with(prefix) && std::ranges::all_of(name.substr(prefix.size()), [](char c) { return c >= '0' && c <= '9'; })) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

/// Blocks that `stored` has not; those that are there already were gathered before the file could be removed.
void take_up(Stored& stored, const Stored& part, const fs::path& path) {
  for (const StoredRun& run : part.runs) {
    const auto known = std::ranges::find_if(stored.runs, [&](const StoredRun& other) { return other.spec == run.spec; });
    if (known == stored.runs.end()) {
      stored.runs.push_back(run);
      continue;
    }
    const auto add = [&](RunSums& into, const RunSums& from) {
      if (into.blocks.contains(from.blocks)) return;
      Coverage both = into.blocks;
      if (!both.merge(from.blocks)) refuse_damage(path.string(), 0, "it has blocks of the checkpoint beside it, and others");
      into.merge(from);
    };
    add(known->state.whole, run.state.whole);
    add(known->state.last, run.state.last);
  }
}

}  // namespace

std::string checkpoint_header(std::span<const std::string> command, std::string_view version) {
  Encoder encoder;
  encoder.text(version);
  encoder.number(command.size());
  for (const std::string& word : command) encoder.text(word);
  return header_frame(encoder.take());
}

std::string checkpoint_record(const Spec& spec, const RunState& state) {
  Encoder encoder;
  encoder.text(spec_text(spec));
  encoder.state(state);
  return record_frame(encoder.take());
}

Stored read_checkpoint(std::string_view bytes, const std::string& name, std::string_view version) {
  Frames frames = read_frames(bytes, name);
  Decoder header(frames.header);
  const std::string theirs = header.text();
  if (theirs != version) {
    throw UserError(fmt::format("'{}': written by a program whose results have version {}, these have {}; delete it to start over", name,
                                dbandit::quoted(theirs), version),
                    ExitCode::mismatch);
  }
  Stored stored;
  stored.bytes = frames.bytes;
  stored.notice = std::move(frames.notice);
  for (std::uint64_t left = header.number(); left > 0 && header.is_good(); --left) stored.command.push_back(header.text());
  if (!header.is_whole()) refuse_damage(name, 0, "the header holds more than a version and a command");
  for (const std::string_view record : frames.records) {
    const auto at = static_cast<std::size_t>(record.data() - bytes.data());
    Decoder decoder(record);
    StoredRun run{read_spec(decoder, name, at), {}};
    run.state = decoder.state(run.spec);
    if (!decoder.is_whole()) refuse_damage(name, at, "the record does not hold sums of its spec");
    const auto known = std::ranges::find_if(stored.runs, [&](const StoredRun& other) { return !difference(other.spec, run.spec); });
    if (known == stored.runs.end()) {
      stored.runs.push_back(std::move(run));
    } else {
      *known = std::move(run);
    }
  }
  return stored;
}

std::optional<Stored> read_checkpoints(const fs::path& folder) {
  std::optional<Stored> stored;
  std::vector<fs::path> paths = rank_files(folder);
  paths.insert(paths.begin(), folder / kName);
  for (const fs::path& path : paths) {
    const std::optional<std::string> bytes = read_stored(path);
    if (!bytes) continue;
    Stored part = read_checkpoint(*bytes, path.string());
    if (!stored) {
      stored = std::move(part);
      if (path != paths.front()) stored->bytes = 0;
    } else {
      take_up(*stored, part, path);
    }
  }
  return stored;
}

bool StoredRun::is_finished() const { return state.blocks() == plan(spec).blocks || is_precise(spec, state.total()); }

const StoredRun* Stored::find(const Spec& spec) const {
  const auto found = std::ranges::find_if(runs, [&](const StoredRun& run) { return !difference(run.spec, spec); });
  return found == runs.end() ? nullptr : &*found;
}

std::optional<std::string> difference(const Spec& stored, const Spec& spec) {
  std::optional<std::string> found;
  for_each_key([&](const auto& key) {
    if (found || key.name == "replicas" || (*stored).*key.field == (*spec).*key.field) return;
    found = fmt::format("{} = {}, not {}", key.name, key_text(*stored, key.name), key_text(*spec, key.name));
  });
  return found;
}

std::optional<Shard> parse_shard(std::string_view text) {
  constexpr std::size_t most = 1000000;
  const std::vector<std::string_view> numbers = split(text, '/');
  if (numbers.size() != 2) return std::nullopt;
  const Shard shard{parse_number<std::size_t>(numbers[0]).value_or(0), parse_number<std::size_t>(numbers[1]).value_or(0)};
  return shard.index >= 1 && shard.index <= shard.count && shard.count <= most ? std::optional(shard) : std::nullopt;
}

std::vector<StoredRun> merge_checkpoints(std::span<const fs::path> folders) {
  std::vector<StoredRun> merged;
  for (const fs::path& folder : folders) {
    const std::optional<Stored> stored = read_checkpoints(folder);
    if (!stored) throw UserError(fmt::format("'{}': there is no shard in it", folder.string()), ExitCode::io);
    for (const StoredRun& run : stored->runs) {
      const auto known = std::ranges::find_if(merged, [&](const StoredRun& other) { return other.spec == run.spec; });
      if (known == merged.end()) {
        if (&folder != &folders.front()) {
          const auto other = difference(merged.front().spec, run.spec);
          refuse(folder, "of another run than the first: " + (other ? *other : fmt::format("replicas = {}", run.spec->replicas)));
        }
        merged.push_back(run);
        continue;
      }
      for (RunSums RunState::*part : {&RunState::whole, &RunState::last}) {
        Coverage both = (known->state.*part).blocks;
        if (!both.merge((run.state.*part).blocks)) refuse(folder, "has blocks that another shard has too");
        (known->state.*part).merge(run.state.*part);
      }
    }
  }
  for (const StoredRun& run : merged) {
    if (run.is_finished()) continue;
    const Plan plan = sim::plan(run.spec);
    const Interval gap = run.state.total().blocks.missing({0, plan.blocks}).intervals().front();
    refuse(folders.front(), fmt::format("replicas {} to {} of {} are in none of the shards", gap.first * plan.block_lanes + 1,
                                        std::min<std::uint64_t>(gap.end * plan.block_lanes, plan.replicas), plan.replicas));
  }
  return merged;
}

std::vector<Result> results_of(std::span<const StoredRun> runs, Checkpoint* keep) {
  std::vector<Spec> specs;
  for (const StoredRun& run : runs) specs.push_back(run.spec);
  const RunOptions options{.executor = Executor::serial};
  Job job(specs, options);
  for (std::size_t i = 0; i < runs.size(); ++i) job.runs()[i].add(runs[i].state);
  if (keep != nullptr) {
    keep->begin(job);
    keep->store(job);
  }
  return job.results();
}

Checkpoint::Checkpoint(fs::path folder, Seconds interval)
    : folder_(std::move(folder)), path_(folder_ / kName), lock_(lock_folder(folder_)), interval_(interval) {
  stored_ = read_checkpoints(folder_);
  others_ = rank_files(folder_);
  if (stored_) command_ = stored_->command;
  due_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(interval_);
}

Checkpoint::Checkpoint(fs::path folder, Seconds interval, int rank)
    : folder_(std::move(folder)), path_(folder_ / fmt::format("{}.{}", kName, rank)), is_first_(false), interval_(interval) {
  lock_ = Descriptor(folder_, O_RDONLY | O_DIRECTORY);
  due_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(interval_);
}

void Checkpoint::begin(Job& job) {
  // A file that was cut off must not be appended to, nor one of another command or of fewer runs. What other ranks have left goes into ours
  // before ranks of this session write theirs, which have the same names.
  bool appends = stored_ && stored_->notice.empty() && stored_->command == command_ && others_.empty();
  for (Run& run : job.runs()) {
    const StoredRun* const known = stored_ ? stored_->find(run.spec()) : nullptr;
    newest_.emplace_back();
    blocks_.push_back(0);
    specs_ += checkpoint_record(run.spec(), {});  // so that a file whose last record is cut off still says what it is of
    appends = appends && known != nullptr && known->spec == run.spec();
    if (known == nullptr) continue;
    RunState state = known->state;
    if (known->spec->replicas != run.spec()->replicas) state.last = {};
    run.add(state);
    newest_.back() = checkpoint_record(run.spec(), state);
    blocks_.back() = state.blocks();
  }
  begun_ = blocks_;
  for (const StoredRun& run : stored_ ? stored_->runs : std::vector<StoredRun>{}) {
    const bool is_wanted = std::ranges::any_of(job.runs(), [&](const Run& wanted) { return !difference(run.spec, wanted.spec()); });
    if (!is_wanted) specs_ += checkpoint_record(run.spec, run.state);
  }
  // Whoever finds files of other ranks must find the command in ours.
  if (is_first_ && !appends && (stored_ || ranks::are_several())) return replace();
  if (!appends) return;
  file_ = Descriptor(path_, O_WRONLY | O_APPEND | O_NOFOLLOW);
  if (!file_.is_open()) fail_io(path_, "cannot be written", errno);
  bytes_ = stored_->bytes;
}

void Checkpoint::added(const Job& job) {
  if (Clock::now() < due_.load(std::memory_order_relaxed)) return;
  store(job);
}

void Checkpoint::store(const Job& job) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // somebody is storing already
  const auto start = Clock::now();
  std::string records;
  std::vector<std::size_t> blocks = blocks_;
  const double share = job.seconds_per_cpu_second();
  for (std::size_t i = 0; i < job.runs().size(); ++i) {
    const RunState state = job.state(i, share);
    if (state.blocks() == blocks_[i] && !newest_[i].empty()) continue;
    newest_[i] = checkpoint_record(job.runs()[i].spec(), state);
    blocks[i] = state.blocks();
    records += newest_[i];
  }
  if (!records.empty() || is_gone()) write(records);
  blocks_ = std::move(blocks);
  const auto now = Clock::now();
  constexpr double most_of_the_time = 0.01, bytes_per_second = 4e6;
  const double cost = std::chrono::duration<double>(now - start).count() / most_of_the_time;
  const double traffic = static_cast<double>(records.size()) / bytes_per_second;
  const double pause = interval_.count() > 0 ? std::max({interval_.count(), cost, traffic}) : 0;
  due_ = now + std::chrono::duration_cast<Clock::duration>(Seconds(pause));
}

void Checkpoint::finish(const Job& job) {
  const std::lock_guard lock(mutex_);
  bool is_changed = false;
  const double share = job.seconds_per_cpu_second();
  for (std::size_t i = 0; i < job.runs().size(); ++i) {
    const RunState state = job.state(i, share);
    is_changed = is_changed || state.blocks() != begun_[i];
    if (state.blocks() > 0) newest_[i] = checkpoint_record(job.runs()[i].spec(), state);
    blocks_[i] = state.blocks();
  }
  // A shard without a block of its own is one too.
  if (is_changed || is_gone() || (is_first_ && !file_.is_open())) replace();
}

/// Whether somebody has removed or moved the file, or the folder that it was in.
bool Checkpoint::is_gone() const {
  struct stat ours {
  }, there{};
  return file_.is_open() && (::fstat(file_.get(), &ours) != 0 || ::stat(path_.c_str(), &there) != 0 || ours.st_ino != there.st_ino);
}

void Checkpoint::replace() {
  std::error_code error;
  const auto make_folder = [&] {
    if (fs::exists(folder_, error) || !fs::create_directories(folder_, error)) return false;
    lock_ = is_first_ ? lock_folder(folder_) : Descriptor(folder_, O_RDONLY | O_DIRECTORY);
    return true;
  };
  make_folder();
  std::string bytes = checkpoint_header(command_) + specs_;
  for (const std::string& record : newest_) bytes += record;
  try {
    file_ = replace_file(path_, lock_, bytes);
  } catch (const UserError&) {
    if (!make_folder()) throw;  // else it was removed while the file was being written
    file_ = replace_file(path_, lock_, bytes);
  }
  bytes_ = bytes.size();
  for (const fs::path& other : others_) ::unlink(other.c_str());
  others_.clear();
}

void Checkpoint::write(const std::string& records) {
  constexpr std::size_t most_records = 8;
  const std::size_t all = std::accumulate(newest_.begin(), newest_.end(), std::size_t{0},
                                          [](std::size_t sum, const std::string& record) { return sum + record.size(); });
  if (bytes_ == 0 || bytes_ > most_records * all || is_gone()) return replace();
  if (!write_all(file_, records) || !sync(file_)) {
    const int error = errno;
    static_cast<void>(!::ftruncate(file_.get(), static_cast<off_t>(bytes_)));
    bytes_ = 0;  // what is to be stored next stands beside what was not
    fail_io(path_, "cannot be written", error);
  }
  bytes_ += records.size();
}

void Checkpoint::gathered(const Job& job) {
  others_ = rank_files(folder_);
  store(job);
  const std::lock_guard lock(mutex_);
  for (const fs::path& other : others_) ::unlink(other.c_str());
  others_.clear();
}

std::size_t Checkpoint::blocks_stored() const { return std::accumulate(blocks_.begin(), blocks_.end(), std::size_t{0}); }

}  // namespace dbandit::sim
