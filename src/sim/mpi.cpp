#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/codec.hpp"
#include "dbandit/sim/ranks.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "job.hpp"
#include "ranks.hpp"

#ifdef DBANDIT_MPI
#include <mpi.h>
#include <sched.h>
#endif

// All of MPI. Rank 0 hands out items and folds what comes back; a helper has twice its threads in items, so that none of its
// threads waits for an answer. Only the main thread of a process calls MPI; threads that simulate meet it in two queues.

namespace dbandit::sim {

#ifdef DBANDIT_MPI

namespace {

enum Tag : int { kJob, kThreads, kItem, kOutcome, kDismissed, kHome };
constexpr auto kNap = std::chrono::microseconds(100);
/// mpirun kills those that have not ended a second after it asked them to.
constexpr auto kPatience = std::chrono::milliseconds(500);

int rank = 0, size = 1;
ranks::Neighbours here;
bool abandoned = false;  ///< a rank no longer answers: there is no orderly end

void send(int to, Tag tag, std::string_view bytes = {}) {
  MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

std::string number_text(std::uint64_t value) { return {reinterpret_cast<const char*>(&value), sizeof value}; }

std::uint64_t number_of(std::string_view bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

struct Message {
  int from = 0;
  int tag = 0;
  std::string bytes;
};

std::optional<MPI_Status> waiting_message(int from = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG) {
  int flag = 0;
  MPI_Status status;
  MPI_Iprobe(from, tag, MPI_COMM_WORLD, &flag, &status);
  if (flag == 0) return std::nullopt;
  return status;
}

bool has_message() { return waiting_message().has_value(); }

/// MPI's own way to wait takes all of a core; a rank that has nothing to do should leave it to those that have.
Message receive(int from = MPI_ANY_SOURCE, int tag = MPI_ANY_TAG) {
  std::optional<MPI_Status> status = waiting_message(from, tag);
  for (; !status; status = waiting_message(from, tag)) std::this_thread::sleep_for(kNap);
  int bytes = 0;
  MPI_Get_count(&*status, MPI_BYTE, &bytes);
  Message message{status->MPI_SOURCE, status->MPI_TAG, std::string(static_cast<std::size_t>(bytes), '\0')};
  MPI_Recv(message.bytes.data(), bytes, MPI_BYTE, message.from, message.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return message;
}

/// Threads that take items from one queue and put them, done, into another.
class Pool {
 public:
  using Work = std::function<void(std::size_t item, std::size_t worker)>;
  Pool(int threads, Work work) : work_(std::move(work)) {
    for (int worker = 0; worker < threads; ++worker) {
      threads_.emplace_back([this, worker](const std::stop_token& stop) { loop(stop, static_cast<std::size_t>(worker)); });
    }
  }
  void add(std::size_t item) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(item);
    }
    more_.notify_one();
  }
  /// What was done since the last call. Throws what a thread has thrown.
  std::deque<std::size_t> take_done() {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    return std::exchange(done_, {});
  }

 private:
  void loop(const std::stop_token& stop, std::size_t worker) {
    std::unique_lock lock(mutex_);
    while (more_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
      const std::size_t item = waiting_.front();
      waiting_.pop_front();
      lock.unlock();
      std::exception_ptr failure;
      try {
        work_(item, worker);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) failure_ = failure;
      done_.push_back(item);
    }
  }

  Work work_;
  std::mutex mutex_;
  std::condition_variable_any more_;
  std::deque<std::size_t> waiting_, done_;
  std::exception_ptr failure_;
  std::vector<std::jthread> threads_;  // the last member: its threads use all others
};

std::vector<int> threads_of;  ///< by rank, for the job under way

/// One job of a helper, until it is dismissed.
void help_with(std::string_view description) {
  Decoder decoder(description);
  RunOptions options;
  options.threads = static_cast<int>(decoder.number());
  const std::string target = decoder.text();
  if (!target.empty()) options.target = kernel::find_target(target);
  std::vector<Spec> specs;
  for (std::uint64_t left = decoder.number(); left > 0; --left) specs.emplace_back(read_spec_text(decoder.text(), "the job"));
  const int threads = thread_count(options);
  const Job job(specs, options, threads);
  std::vector<Workspace> workspaces(static_cast<std::size_t>(threads));
  std::mutex mutex;
  std::deque<std::string> outcomes;
  send(0, kThreads, number_text(static_cast<std::uint64_t>(threads)));
  Pool pool(threads, [&](std::size_t item, std::size_t worker) {
    BlockOutcome outcome;
    job.simulate(item, workspaces[worker], outcome);
    std::string bytes = number_text(item) + Job::pack(outcome);
    const std::lock_guard lock(mutex);
    outcomes.push_back(std::move(bytes));
  });
  while (true) {
    static_cast<void>(pool.take_done());
    std::deque<std::string> ready;
    {
      const std::lock_guard lock(mutex);
      ready.swap(outcomes);
    }
    for (const std::string& outcome : ready) send(0, kOutcome, outcome);
    if (has_message()) {
      const Message message = receive(0);
      if (message.tag == kDismissed) return;
      pool.add(number_of(message.bytes));
    } else if (ready.empty()) {
      std::this_thread::sleep_for(kNap);
    }
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
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
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
}

Ranks::~Ranks() {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) return;
  if (abandoned) MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::interrupted));
  if (rank == 0) {
    for (int other = 1; other < size; ++other) send(other, kHome);
  }
  MPI_Finalize();
}

bool Ranks::is_helper() const { return rank > 0; }

void Ranks::help() {
  try {
    for (Message message = receive(0); message.tag != kHome; message = receive(0)) help_with(message.bytes);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dbandit: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitCode::failure));
  }
}

namespace ranks {

bool is_lead() { return rank == 0 && size > 1; }

Neighbours neighbours() { return here; }

int announce(const std::string& job, int threads) {
  threads_of.assign(static_cast<std::size_t>(size), threads);
  int all = threads;
  for (int other = 1; other < size; ++other) send(other, kJob, job);
  for (int other = 1; other < size; ++other) {
    const Message message = receive(other, kThreads);
    all += threads_of[static_cast<std::size_t>(other)] = static_cast<int>(number_of(message.bytes));
  }
  return all;
}

void dismiss() {
  if (abandoned) return;
  for (int other = 1; other < size; ++other) send(other, kDismissed);
}

std::size_t for_each_in_order(const Share& share, const std::stop_token& stop, const std::function<void(const Place&)>& produce,
                              const std::function<bool(const Place&, std::string_view)>& arrive,
                              const std::function<void(const Place&)>& consume) {
  std::size_t next = 0, consumed = 0;
  std::vector<char> ready(share.slots, false);
  std::vector<int> room;  // by rank: how many more items it may have
  for (const int threads : threads_of) room.push_back(2 * threads);
  int remote = 0;  // items that other ranks have
  const auto place_of = [&](std::size_t item, std::size_t worker = 0) { return Place{item, item % share.slots, worker}; };
  Pool pool(share.threads, [&](std::size_t item, std::size_t worker) { produce(place_of(item, worker)); });

  const auto hand_out = [&] {
    bool some = false;
    while (next < share.count && next < consumed + share.slots && !stop.stop_requested()) {
      const auto freest = std::ranges::max_element(room);
      if (*freest == 0) break;
      --*freest;
      some = true;
      if (const auto to = static_cast<int>(freest - room.begin()); to == 0) {
        pool.add(next);
      } else {
        send(to, kItem, number_text(share.first + next));
        ++remote;
      }
      ++next;
    }
    return some;
  };
  const auto take_in = [&] {
    bool some = false;
    while (has_message()) {
      const Message message = receive();
      const std::size_t item = number_of(message.bytes) - share.first;
      --remote;
      ++room[static_cast<std::size_t>(message.from)];
      if (item >= next || !arrive(place_of(item), std::string_view(message.bytes).substr(sizeof(std::uint64_t)))) {
        throw std::runtime_error("a rank sent something that is not the statistics of a block");
      }
      ready[item % share.slots] = some = true;
    }
    for (const std::size_t item : pool.take_done()) {
      ++room[0];
      ready[item % share.slots] = some = true;
    }
    return some;
  };
  const auto fold = [&] {
    while (consumed < next && ready[consumed % share.slots]) {
      consume(place_of(consumed));
      ready[consumed % share.slots] = false;
      ++consumed;
    }
  };

  auto heard = std::chrono::steady_clock::now();
  try {
    while (true) {
      const bool given = hand_out(), taken = take_in();
      fold();
      if (consumed == next && (next == share.count || stop.stop_requested())) return consumed;
      const auto now = std::chrono::steady_clock::now();
      if (taken || !stop.stop_requested()) heard = now;
      if (remote > 0 && now - heard > kPatience) {
        abandoned = true;
        return consumed;
      }
      if (!given && !taken) std::this_thread::sleep_for(kNap);
    }
  } catch (...) {
    // What the others still have on hand must be received before they can be dismissed.
    for (; remote > 0; --remote) static_cast<void>(receive());
    throw;
  }
}

}  // namespace ranks

#else

bool under_mpirun() { return false; }
Ranks::Ranks(int&, char**&) {}
Ranks::~Ranks() = default;
bool Ranks::is_helper() const { return false; }
void Ranks::help() {}

namespace ranks {
bool is_lead() { return false; }
Neighbours neighbours() { return {}; }
int announce(const std::string&, int threads) { return threads; }
void dismiss() {}
std::size_t for_each_in_order(const Share&, const std::stop_token&, const std::function<void(const Place&)>&,
                              const std::function<bool(const Place&, std::string_view)>&, const std::function<void(const Place&)>&) {
  return 0;
}
}  // namespace ranks

#endif

}  // namespace dbandit::sim
