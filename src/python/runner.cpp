#include "runner.hpp"

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <map>
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
#include "held_result.hpp"

namespace py = pybind11;

namespace dbandit::python {
namespace {

using Clock = std::chrono::steady_clock;
using Texts = std::map<std::string, std::string>;

/// Signals and progress: what the calling thread owes to Python ten times a second, with the lock held.
class PythonHeartbeat {
 public:
  explicit PythonHeartbeat(py::object progress) : progress_(std::move(progress)) {}

  /// Throws what a signal handler raised: KeyboardInterrupt.
  void tick(double done, double all) {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    const auto now = Clock::now();
    if (progress_.is_none() || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    progress_(done, all);
  }

 private:
  py::object progress_;
  Clock::time_point last_ = Clock::now();
};

/// A run on a thread of its own. It is shared with that thread, so that the caller may leave: a block under way cannot be cut short.
struct Background {
  std::stop_source stop;
  std::atomic<std::size_t> done{0}, all{1};
  std::mutex mutex;
  std::condition_variable finished;
  std::optional<sim::Result> result;
  std::exception_ptr failure;
  std::thread thread;

  [[nodiscard]] bool over() const { return result || failure; }
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

std::shared_ptr<Background> begin(const sim::Spec& spec, int threads) {
  auto run = std::make_shared<Background>();
  run->thread = std::thread([run, spec, threads] {
    sim::RunOptions options;
    options.threads = threads;
    options.stop = run->stop.get_token();
    options.progress = [&](std::size_t done, std::size_t all) {
      run->all = all;
      run->done = done;
    };
    std::optional<sim::Result> result;
    std::exception_ptr failure;
    try {
      result = sim::run(spec, options);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(run->mutex);
    run->result = std::move(result);
    run->failure = std::move(failure);
    run->finished.notify_all();
  });
  return run;
}

/// The built-in policies: the interpreter lock is free while they run.
sim::Result run_catalogue(const sim::Spec& spec, int threads, PythonHeartbeat& heartbeat) {
  const std::shared_ptr<Background> run = begin(spec, threads);
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
  return std::move(*run->result);
}

std::string shape_text(const py::array& array) {
  std::string text;
  for (py::ssize_t axis = 0; axis < array.ndim(); ++axis) text += fmt::format("{}{}", axis > 0 ? " x " : "", array.shape(axis));
  return text.empty() ? "a scalar" : text;
}

/// A Python function as a policy: it is shown its view as arrays [arm, replica] and answers with an arm for each replica, or with an
/// index for each arm and replica.
class PythonPolicy {
 public:
  PythonPolicy(std::string name, py::object function, std::shared_ptr<PythonHeartbeat> heartbeat, std::shared_ptr<double> played,
               double all)
      : name_(std::move(name)), function_(std::move(function)), heartbeat_(std::move(heartbeat)), played_(std::move(played)), all_(all) {}

  void operator()(const sim::GuestView& view, std::span<double> indices) const {
    const py::gil_scoped_acquire acquire;
    *played_ += static_cast<double>(view.lanes);
    heartbeat_->tick(*played_, all_);
    // Copies: the function may keep what it is given.
    const auto array = [&](std::span<const double> rows) {
      return py::array_t<double>({static_cast<py::ssize_t>(view.arms), static_cast<py::ssize_t>(view.lanes)}, rows.data());
    };
    const py::object answer = function_(array(view.pulls), array(view.exposure), array(view.conversions), view.round);
    const py::array given = py::array::ensure(answer);
    if (!given) refuse(view, "what is no array");
    const char kind = given.dtype().kind();
    const auto lanes = static_cast<py::ssize_t>(view.lanes), arms = static_cast<py::ssize_t>(view.arms);
    if (given.ndim() == 1 && given.shape(0) == lanes && (kind == 'i' || kind == 'u')) {
      take_arms(py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(given), view, indices);
    } else if (given.ndim() == 2 && given.shape(0) == arms && given.shape(1) == lanes && (kind == 'i' || kind == 'u' || kind == 'f')) {
      take_indices(py::array_t<double, py::array::c_style | py::array::forcecast>(given), view, indices);
    } else {
      refuse(view, fmt::format("{} of {}", shape_text(given), py::str(given.dtype()).cast<std::string>()));
    }
  }

 private:
  [[noreturn]] void refuse(const sim::GuestView& view, const std::string& what) const {
    throw UserError(
        fmt::format("{}: {} in round {} is not an arm for each replica ({} integers from 0 to {}) or an index for each arm and replica "
                    "({} x {} numbers)",
                    name_, what, view.round, view.lanes, view.arms - 1, view.arms, view.lanes));
  }

  /// The arm that is played has index 1 among zeros.
  void take_arms(const py::array_t<std::int64_t>& arms, const sim::GuestView& view, std::span<double> indices) const {
    std::ranges::fill(indices, 0.0);
    for (std::size_t lane = 0; lane < view.lanes; ++lane) {
      const std::int64_t arm = arms.data()[lane];
      if (arm < 0 || arm >= static_cast<std::int64_t>(view.arms)) refuse(view, fmt::format("arm {}", arm));
      indices[static_cast<std::size_t>(arm) * view.lanes + lane] = 1;
    }
  }

  void take_indices(const py::array_t<double>& given, const sim::GuestView& view, std::span<double> indices) const {
    std::copy_n(given.data(), indices.size(), indices.begin());
    if (std::ranges::any_of(indices, [](double index) { return std::isnan(index); })) refuse(view, "an index that is NaN");
  }

  std::string name_;
  py::object function_;
  std::shared_ptr<PythonHeartbeat> heartbeat_;
  std::shared_ptr<double> played_;  ///< replica-rounds of all guests together
  double all_;
};

using Functions = std::vector<std::pair<std::string, py::object>>;

sim::Result run_guests(const sim::Spec& spec, const Functions& functions, const std::shared_ptr<PythonHeartbeat>& heartbeat) {
  const auto played = std::make_shared<double>(0);
  const double all = static_cast<double>(spec->replicas) * static_cast<double>(functions.size()) *
                     static_cast<double>(spec->horizon - static_cast<std::int64_t>(spec->theta.size()));
  std::vector<sim::Guest> guests;
  for (const auto& [name, function] : functions) guests.push_back({name, PythonPolicy(name, function, heartbeat, played, all), 4096});
  sim::RunOptions options;
  options.executor = sim::Executor::serial;  // the interpreter runs one function at a time, and looks for Ctrl-C on the calling thread
  options.progress = [&](std::size_t, std::size_t) {
    const py::gil_scoped_acquire acquire;
    heartbeat->tick(*played, all);
  };
  const py::gil_scoped_release release;
  return sim::run_with_guests(spec, guests, options);
}

sim::Spec spec_of(const std::optional<std::string>& file, const Texts& texts, const Functions& functions) {
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
  return sim::Spec(draft);
}

std::unique_ptr<HeldResult> run(const std::optional<std::string>& file, const Texts& texts, const Functions& functions, int threads,
                                py::object progress) {
  const sim::Spec spec = spec_of(file, texts, functions);
  const auto heartbeat = std::make_shared<PythonHeartbeat>(std::move(progress));
  return std::make_unique<HeldResult>(functions.empty() ? run_catalogue(spec, threads, *heartbeat)
                                                        : run_guests(spec, functions, heartbeat));
}

}  // namespace

void declare_runner(py::module_& module) {
  module.def("run", &run);
  module.def("join_abandoned", &join_abandoned);
}

}  // namespace dbandit::python
