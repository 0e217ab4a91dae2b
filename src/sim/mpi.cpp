#include "sim/mpi.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "job.hpp"
#include "ranks.hpp"
#include "sim/checkpoint.hpp"
#include "sim/codec.hpp"

#ifdef DBANDIT_MPI
#include <mpi.h>
#include <sched.h>
#endif

// All of MPI. A job, and each stage of it, goes down a binomial tree of ranks; the sums come up the same tree, added on the way; items are
// taken from one counter, which lies in rank 0's memory and is advanced by one-sided operations. So nothing that a rank does grows
// with the number of blocks, and rank 0 does as much as any other.

namespace dbandit::sim {

#ifdef DBANDIT_MPI

namespace {

enum Tag : int { kDown, kUp };
enum class Order : std::uint64_t { job, stage, dismissed, home };
constexpr auto kNap = std::chrono::microseconds(100);
/// mpirun kills those that have not ended a second after it asked them to.
constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr std::uint64_t kClosed = std::uint64_t{1} << 62;

int rank = 0, size = 1;
ranks::Neighbours here;
bool abandoned = false;  ///< a rank no longer answers: there is no orderly end
MPI_Win counter;
std::uint64_t* counter_memory = nullptr;
std::mutex mutex;  ///< threads take turns in calling MPI

int parent() { return rank & (rank - 1); }

std::vector<int> children() {
  std::vector<int> found;
  const int below = rank == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(size))) : rank & -rank;
  for (int step = 1; step < below; step *= 2) {
    if (rank + step < size) found.push_back(rank + step);
  }
  return found;
}

void send(int to, Tag tag, std::string_view bytes) {
  const std::lock_guard lock(mutex);
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

/// MPI's own way to wait takes all of a core; a rank that has nothing to do should leave it to those that have. None when `until` is over.
std::optional<std::string> receive(int from, Tag tag,
                                   std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max()) {
  while (true) {
    {
      const std::lock_guard lock(mutex);
      int there = 0;
      MPI_Status status;
      MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, &status);
      if (there != 0) {
        int bytes = 0;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        std::string message(static_cast<std::size_t>(bytes), '\0');
        MPI_Recv(message.data(), bytes, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return message;
      }
    }
    if (std::chrono::steady_clock::now() > until) return std::nullopt;
    std::this_thread::sleep_for(kNap);
  }
}

void pass_down(std::string_view message) {
  for (const int child : children()) send(child, kDown, message);
}

std::uint64_t advance_counter(std::uint64_t by, MPI_Op operation) {
  const std::lock_guard lock(mutex);
  std::uint64_t before = 0;
  MPI_Fetch_and_op(&by, &before, MPI_UINT64_T, 0, 0, operation, counter);
  MPI_Win_flush(0, counter);
  return before;
}

std::string order(Order what, std::string_view content = {}) {
  Encoder encoder;
  encoder.number(static_cast<std::uint64_t>(what));
  encoder.text(content);
  return encoder.take();
}

struct Message {
  Order what = Order::home;
  std::string content;
};

/// The next order from above, handed on below.
Message next_order() {
  const std::string bytes = *receive(parent(), kDown);
  pass_down(bytes);
  Decoder decoder(bytes);
  const auto what = static_cast<Order>(decoder.number());
  return {what, decoder.text()};
}

/// The part of another rank than the first in one job.
void help_with(const std::string& description, const std::stop_token& stop) {
  Decoder decoder(description);
  RunOptions options;
  options.threads = static_cast<int>(decoder.number());
  options.stop = stop;
  if (const std::string target = decoder.text(); !target.empty()) options.target = kernel::find_target(target);
  const std::string folder = decoder.text();
  const Checkpoint::Seconds interval(decoder.real());
  std::vector<Spec> specs;
  for (std::uint64_t left = decoder.number(); left > 0; --left) specs.emplace_back(read_spec_text(decoder.text(), "the job"));
  const std::size_t runs = specs.size();
  while (true) {
    const Message message = next_order();
    if (message.what != Order::stage) return;
    std::optional<Checkpoint> checkpoint;
    if (!folder.empty()) checkpoint.emplace(folder, interval, rank);
    options.checkpoint = checkpoint ? &*checkpoint : nullptr;
    Job job(specs, options);
    Decoder stage(message.content);
    std::vector<Coverage> blocks;
    for (std::size_t i = 0; i < runs; ++i) blocks.push_back(stage.coverage());
    std::string failure;
    try {
      job.play(blocks);
      if (checkpoint && (stop.stop_requested() || ranks::is_closed())) checkpoint->store(job);
    } catch (const UserError& error) {  // what was done is still good: rank 0 gets it, and stores it if it can
      failure = error.what();
    }
    static_cast<void>(ranks::gather(job, stop, failure));
  }
}

}  // namespace

bool under_mpirun() {
  constexpr std::array variables{"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};
  return std::ranges::any_of(variables, [](const char* name) { return std::getenv(name) != nullptr; });
}

Ranks::Ranks(int& argc, char**& argv) {
  if (!under_mpirun()) return;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &here.ranks);
  cpu_set_t set;
  CPU_ZERO(&set);
  static_cast<void>(::sched_getaffinity(0, sizeof set, &set));
  MPI_Allreduce(MPI_IN_PLACE, &set, sizeof set, MPI_BYTE, MPI_BOR, machine);
  here.cores = CPU_COUNT(&set);
  MPI_Comm_free(&machine);
  if (size == 1) return;
  MPI_Win_allocate(rank == 0 ? sizeof(std::uint64_t) : 0, sizeof(std::uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &counter_memory, &counter);
  MPI_Win_lock_all(0, counter);
}

Ranks::~Ranks() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) return;
  if (abandoned) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::interrupted));
  if (rank == 0) pass_down(order(Order::home));
  if (size > 1) {
    MPI_Win_unlock_all(counter);
    MPI_Win_free(&counter);
  }
  MPI_Finalize();
}

bool Ranks::is_helper() const { return rank > 0; }

void Ranks::help(const std::stop_token& stop) {
  try {
    for (Message message = next_order(); message.what != Order::home; message = next_order()) help_with(message.content, stop);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dbandit: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::failure));
  }
}

namespace ranks {

bool are_several() { return size > 1; }

Neighbours neighbours() { return here; }

Announcement::Announcement(const Job& job) { pass_down(order(Order::job, job.describe())); }

Announcement::~Announcement() {
  if (!abandoned) pass_down(order(Order::dismissed));
}

void open(std::span<const Coverage> blocks) {
  static_cast<void>(advance_counter(0, MPI_REPLACE));
  Encoder encoder;
  for (const Coverage& one : blocks) encoder.coverage(one);
  pass_down(order(Order::stage, encoder.take()));
}

std::size_t next_item() { return advance_counter(1, MPI_SUM); }

void close() { static_cast<void>(advance_counter(kClosed, MPI_REPLACE)); }
bool is_closed() { return advance_counter(0, MPI_NO_OP) >= kClosed; }

Gathered gather(Job& job, const std::stop_token& stop, std::string failure) {
  bool stopped = stop.stop_requested();
  if (stopped || !failure.empty()) close();
  using Clock = std::chrono::steady_clock;
  for (const int child : children()) {
    // Whoever was not stopped waits for a block; after a stop mpirun is about to kill all.
    std::optional<std::string> bytes;
    while (!bytes) {
      const bool urgent = stop.stop_requested();
      bytes = receive(child, kUp, Clock::now() + kPatience);
      if (!bytes && urgent) {
        abandoned = true;
        return {.all = false, .stopped = true, .failure = failure};
      }
    }
    Decoder decoder(*bytes);
    stopped = decoder.number() != 0 || stopped;
    if (std::string theirs = decoder.text(); failure.empty()) failure = std::move(theirs);
    if (!job.add_states(decoder.text())) throw std::runtime_error("a rank sent something that is not the sums of its blocks");
  }
  if (rank != 0) {
    Encoder encoder;
    encoder.number(stopped ? 1 : 0);
    encoder.text(failure);
    encoder.text(job.take_states());
    send(parent(), kUp, encoder.take());
  }
  return {.all = true, .stopped = stopped, .failure = failure};
}

}  // namespace ranks

#else

bool under_mpirun() { return false; }
Ranks::Ranks(int&, char**&) {}
Ranks::~Ranks() = default;
bool Ranks::is_helper() const { return false; }
void Ranks::help(const std::stop_token&) {}

namespace ranks {
bool are_several() { return false; }
Neighbours neighbours() { return {}; }
Announcement::Announcement(const Job&) {}
Announcement::~Announcement() = default;
void open(std::span<const Coverage>) {}
std::size_t next_item() { return 0; }
void close() {}
bool is_closed() { return false; }
Gathered gather(Job&, const std::stop_token&, std::string) { return {}; }
}  // namespace ranks

#endif

}  // namespace dbandit::sim
