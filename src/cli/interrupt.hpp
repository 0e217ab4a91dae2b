#pragma once

#include <array>
#include <stop_token>
#include <thread>

namespace dbandit::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP asks politely through the token; the second has its usual effect. A
/// SIGHUP that nohup has switched off stays so.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::array<int, 2> pipe_{};
  std::thread watcher_;
};

}  // namespace dbandit::cli
