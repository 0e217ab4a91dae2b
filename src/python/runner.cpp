#include "runner.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/draft.hpp"
#include "dbandit/sim/guest.hpp"
#include "dbandit/sim/run.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "guest.hpp"
#include "held_result.hpp"

namespace py = pybind11;

namespace dbandit::python {
namespace {

/// A run on a thread of its own. It is shared with that thread, so that the caller may leave: a block under way cannot be cut short.
struct Background {
  std::stop_source stop;
  std::atomic<std::size_t> done{0}, all{1};
  std::mutex mutex;
  std::condition_variable finished;
  std::shared_ptr<std::vector<double>> samples;
  std::vector<sim::Result> results;
  std::exception_ptr failure;
  std::thread thread;

  [[nodiscard]] bool over() const { return !results.empty() || failure; }
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return finished.wait_for(lock, time, [&] { return over(); });
  }
};

/// Runs that were interrupted and had not ended a moment later.
std::vector<std::shared_ptr<Background>>& abandoned() {
  static auto* const runs = new std::vector<std::shared_ptr<Background>>;  // outlives the threads, whatever ends the process
  return *runs;
}

void abandon(const std::shared_ptr<Background>& run) {
  std::erase_if(abandoned(), [](const std::shared_ptr<Background>& earlier) {
    const bool over = earlier->wait(std::chrono::milliseconds(0));
    if (over) earlier->thread.join();
    return over;
  });
  abandoned().push_back(run);
}

/// Before the interpreter takes down what they stand on; a further Ctrl-C does not wait.
void join_abandoned() {
  for (const std::shared_ptr<Background>& run : abandoned()) {
    for (bool over = false; !over;) {
      {
        const py::gil_scoped_release release;
        over = run->wait(std::chrono::milliseconds(50));
      }
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
    run->thread.join();
  }
  abandoned().clear();
}

std::shared_ptr<Background> begin(std::vector<sim::Spec> specs, int threads, Samples samples) {
  auto run = std::make_shared<Background>();
  run->samples = std::move(samples);
  run->thread = std::thread([run, specs = std::move(specs), threads] {
    sim::RunOptions options;
    options.threads = threads;
    options.stop = run->stop.get_token();
    if (run->samples) options.final_regrets = *run->samples;
    options.progress = [&](std::size_t done, std::size_t all) {
      run->all = all;
      run->done = done;
    };
    std::vector<sim::Result> results;
    std::exception_ptr failure;
    try {
      results = sim::run_all(specs, options);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(run->mutex);
    run->results = std::move(results);
    run->failure = std::move(failure);
    run->finished.notify_all();
  });
  return run;
}

/// The built-in policies: the interpreter lock is free while they run.
std::vector<sim::Result> play_catalogue(std::vector<sim::Spec> specs, int threads, PythonHeartbeat& heartbeat, Samples samples) {
  const std::shared_ptr<Background> run = begin(std::move(specs), threads, std::move(samples));
  try {
    for (bool over = false; !over;) {
      {
        const py::gil_scoped_release release;
        over = run->wait(std::chrono::milliseconds(50));
      }
      heartbeat.tick(static_cast<double>(run->done), static_cast<double>(run->all));
    }
  } catch (...) {
    run->stop.request_stop();
    const bool over = [&] {
      const py::gil_scoped_release release;
      return run->wait(std::chrono::milliseconds(250));
    }();
    if (over) {
      run->thread.join();
    } else {
      abandon(run);
    }
    throw;
  }
  run->thread.join();
  if (run->failure) std::rethrow_exception(run->failure);
  return std::move(run->results);
}

std::vector<sim::Result> play_guests(std::span<const sim::Spec> specs, const Functions& functions,
                                     const std::shared_ptr<PythonHeartbeat>& heartbeat, const Samples& samples) {
  const auto played = std::make_shared<Played>();
  for (const sim::Spec& spec : specs) {
    played->all += static_cast<double>(spec->replicas) * static_cast<double>(functions.size()) *
                   static_cast<double>(spec->horizon - static_cast<std::int64_t>(spec->theta.size()));
  }
  std::vector<sim::Guest> guests;
  for (const auto& [name, policy] : functions) guests.push_back(python_guest(name, policy, heartbeat, played));
  sim::RunOptions options;
  options.executor = sim::Executor::serial;  // the interpreter runs one function at a time, and looks for Ctrl-C on the calling thread
  options.guests = guests;
  if (samples) options.final_regrets = *samples;
  options.progress = [&](std::size_t, std::size_t) {
    const py::gil_scoped_acquire acquire;
    heartbeat->tick(played->rounds, played->all);
  };
  const py::gil_scoped_release release;
  return sim::run_all(specs, options);
}

std::unique_ptr<HeldResult> run(const std::optional<std::string>& file, const Texts& texts, const Functions& functions, int threads,
                                const py::object& progress, bool keep_samples) {
  const sim::Spec spec(draft_of(file, texts, functions));
  Samples samples;
  if (keep_samples) {
    samples = std::make_shared<std::vector<double>>(spec->policies.size() * static_cast<std::size_t>(spec->replicas),
                                                    std::numeric_limits<double>::quiet_NaN());
  }
  sim::Result result = std::move(play({spec}, functions, threads, progress, samples).front());
  return std::make_unique<HeldResult>(std::move(result), samples ? std::move(*samples) : std::vector<double>{});
}

}  // namespace

sim::SpecDraft draft_of(const std::optional<std::string>& file, const Texts& texts, const Functions& functions) {
  sim::SpecDraft draft;
  for (const auto& [key, text] : texts) sim::assign(draft, key, text);
  if (file) draft = sim::merge(sim::read_spec_file(*file), draft);
  const std::vector<sim::Policy> named = draft.settings.policies;
  for (const auto& [name, function] : functions) {
    try {
      const sim::Policy guest = sim::Policy::guest(name);
      if (std::ranges::find(named, guest) == named.end()) draft.settings.policies.push_back(guest);
    } catch (const UserError& error) {
      throw UserError(std::string("--policies: ") + error.what());
    }
  }
  return draft;
}

std::vector<sim::Result> play(std::vector<sim::Spec> specs, const Functions& functions, int threads, const py::object& progress,
                              Samples samples) {
  const auto heartbeat = std::make_shared<PythonHeartbeat>(progress);
  return functions.empty() ? play_catalogue(std::move(specs), threads, *heartbeat, std::move(samples))
                           : play_guests(specs, functions, heartbeat, samples);
}

void declare_runner(py::module_& module) {
  module.def("run", &run);
  module.def("join_abandoned", &join_abandoned);
}

}  // namespace dbandit::python
