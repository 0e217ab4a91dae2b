#pragma once

#include <memory>

namespace dbandit::fit {

/// While it lives, reading a log and fitting use at most so many threads; no number depends on it.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace dbandit::fit
