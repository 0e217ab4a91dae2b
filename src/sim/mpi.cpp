#include "sim/mpi.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "job.hpp"
#include "ranks.hpp"
#include "sim/checkpoint.hpp"
#include "sim/codec.hpp"
#include "sim/mpi_module.hpp"

// A job, and each stage of it, goes down a binomial tree of ranks; the sums come up the same tree, added on the way; items are
// taken from one counter, which lies in rank 0's memory and is advanced by one-sided operations. So nothing that a rank does grows
// with the number of blocks, and rank 0 does as much as any other. MPI itself is in mpi_module.cpp.

namespace dbandit::sim {
namespace {

enum Tag : int { kDown, kUp };
enum class Order : std::uint64_t { job, stage, dismissed, home };
constexpr auto kNap = std::chrono::microseconds(100);
/// mpirun kills those that have not ended a second after it asked them to.
constexpr auto kPatience = std::chrono::milliseconds(500);
constexpr std::uint64_t kClosed = std::uint64_t{1} << 62;

int rank = 0, size = 1;
ranks::Neighbours here;
bool abandoned = false;                 ///< a rank no longer answers: there is no orderly end
const MpiModule* mpi_module = nullptr;  ///< loaded and entered
std::mutex mutex;                       ///< threads take turns in calling it

/// What a launcher tells its processes; Slurm tells by PMI or PMIx.
struct Launcher {
  const char *rank, *size;  ///< variables; PMIx tells no size
};
constexpr std::array kLaunchers{Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Launcher{"PMI_RANK", "PMI_SIZE"},
                                Launcher{"PMIX_RANK", nullptr}};

const Launcher* launcher() {
  const auto* found = std::ranges::find_if(kLaunchers, [](const Launcher& one) { return std::getenv(one.rank) != nullptr; });
  return found != kLaunchers.end() ? found : nullptr;
}

std::filesystem::path module_path() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return program.parent_path().parent_path() / "lib/dbandit/modules/mpi.so";
}

/// Found from where the program stands, so that both can be moved together. Open MPI loads parts of its own, which look for its symbols
/// among the global ones; it cannot be unloaded.
const MpiModule& load_module() {
  const std::string path = module_path().string();
  const auto refuse = [&](std::string_view why) {
    return UserError(fmt::format("mpi: '{}', which is needed under mpirun only, {}", path, why));
  };
  if (::access(path.c_str(), R_OK) != 0) {
    throw refuse("is missing; start dbandit without mpirun, or install it (Debian: dbandit-mpi; a build: libopenmpi-dev)");
  }
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr)
    throw refuse(fmt::format("cannot be loaded ({}); start dbandit without mpirun, or install that MPI", ::dlerror()));
  const auto entry = reinterpret_cast<decltype(&dbandit_mpi_module)>(::dlsym(library, "dbandit_mpi_module"));
  if (entry == nullptr || entry()->version != MpiModule::kVersion) throw refuse("is of another version of dbandit");
  return *entry();
}

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
  mpi_module->send(to, tag, bytes.data(), static_cast<int>(bytes.size()));
}

/// MPI's own way to wait takes all of a core; a rank that has nothing to do should leave it to those that have. None when `until` is over.
std::optional<std::string> receive(int from, Tag tag,
                                   std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max()) {
  while (true) {
    {
      const std::lock_guard lock(mutex);
      if (const int bytes = mpi_module->waiting(from, tag); bytes >= 0) {
        std::string message(static_cast<std::size_t>(bytes), '\0');
        mpi_module->receive(from, tag, message.data(), bytes);
        return message;
      }
    }
    if (std::chrono::steady_clock::now() > until) return std::nullopt;
    std::this_thread::sleep_for(kNap);
  }
}

std::uint64_t set_counter(std::uint64_t to) {
  const std::lock_guard lock(mutex);
  return mpi_module->set_counter(to);
}

void pass_down(std::string_view message) {
  for (const int child : children()) send(child, kDown, message);
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

bool under_mpirun() { return launcher() != nullptr; }

std::string mpi_trouble() {
  try {
    load_module();
    return {};
  } catch (const UserError& error) {
    return error.what();
  }
}

Ranks::Ranks(int& argc, char**& argv) {
  const Launcher* const by = launcher();
  if (by == nullptr) return;
  const auto number = [](const char* variable) {
    const char* text = variable != nullptr ? std::getenv(variable) : nullptr;
    return text != nullptr ? std::atoi(text) : 0;
  };
  try {
    const MpiModule& loaded = load_module();
    const MpiModule::Place place = loaded.enter(&argc, &argv);
    if (const int started = number(by->size); started > 0 && started != place.size) {
      loaded.leave();
      throw UserError(
          fmt::format("mpi: {} processes were started, and the MPI that dbandit was built with knows of {}; start them by its mpirun",
                      started, place.size));
    }
    mpi_module = &loaded;
    rank = place.rank;
    size = place.size;
    here = {.ranks = place.ranks_here, .cores = place.cores_here};
  } catch (const UserError&) {
    // The first says it for all. The others end without an error: at the first that mpirun sees it kills the rest, who may not have spoken.
    rank = number(by->rank);
    if (rank == 0) throw;
  }
}

Ranks::~Ranks() {
  if (mpi_module == nullptr) return;
  if (abandoned) mpi_module->abort_all(static_cast<int>(ExitCode::interrupted));
  if (rank == 0) pass_down(order(Order::home));
  mpi_module->leave();
}

bool Ranks::is_helper() const { return rank > 0; }

void Ranks::help(const std::stop_token& stop) {
  if (mpi_module == nullptr) return;
  try {
    for (Message message = next_order(); message.what != Order::home; message = next_order()) help_with(message.content, stop);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dbandit: rank %d: %s\n", rank, error.what());
    mpi_module->abort_all(static_cast<int>(ExitCode::failure));
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
  static_cast<void>(set_counter(0));
  Encoder encoder;
  for (const Coverage& one : blocks) encoder.coverage(one);
  pass_down(order(Order::stage, encoder.take()));
}

std::size_t next_item() {
  const std::lock_guard lock(mutex);
  return mpi_module->add_to_counter(1);
}

void close() { static_cast<void>(set_counter(kClosed)); }

bool is_closed() {
  const std::lock_guard lock(mutex);
  return mpi_module->read_counter() >= kClosed;
}

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

}  // namespace dbandit::sim
