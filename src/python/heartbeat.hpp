#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <utility>

namespace dbandit::python {

/// Signals and progress: what the calling thread owes to Python ten times a second, with the lock held.
class PythonHeartbeat {
 public:
  explicit PythonHeartbeat(pybind11::object progress) : progress_(std::move(progress)) {}

  /// Throws what a signal handler raised: KeyboardInterrupt.
  void tick(double done, double all) {
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
    const auto now = std::chrono::steady_clock::now();
    if (progress_.is_none() || now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    progress_(done, all);
  }

 private:
  pybind11::object progress_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace dbandit::python
