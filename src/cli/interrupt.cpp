#include "interrupt.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

#include "redraws.hpp"

namespace dbandit::cli {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
constexpr std::string_view kEraseLine = "\r\033[K";
constexpr std::string_view kNotice = "stopping after the blocks under way; once more stops at once\n";
constexpr char kInterrupted = 'i', kFinished = 'f';

/// A stop source takes locks, which a signal handler may not; it writes a byte, and a thread that may does the rest.
volatile std::sig_atomic_t pipe_end = -1;

extern "C" void wake_watcher(int) {
  const int saved = errno;
  static_cast<void>(!::write(pipe_end, &kInterrupted, 1));
  errno = saved;
}

void handle_signals(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (const int signal : kSignals) {
    struct sigaction before {};
    const bool by_nohup = signal == SIGHUP && ::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
    if (!by_nohup) ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

Interrupt::Interrupt() {
  if (::pipe2(pipe_.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  watcher_ = std::thread([this] {
    char byte = kFinished;
    while (::read(pipe_[0], &byte, 1) < 0 && errno == EINTR) {
    }
    if (byte != kInterrupted) return;
    handle_signals(SIG_DFL);  // SA_RESETHAND has seen to one of the signals only
    source_.request_stop();
    if (redraws(STDERR_FILENO)) static_cast<void>(!::write(STDERR_FILENO, kEraseLine.data(), kEraseLine.size()));
    if (::isatty(STDERR_FILENO) == 1) static_cast<void>(!::write(STDERR_FILENO, kNotice.data(), kNotice.size()));
  });
  pipe_end = pipe_[1];
  handle_signals(wake_watcher);
}

Interrupt::~Interrupt() {
  handle_signals(SIG_DFL);
  static_cast<void>(!::write(pipe_[1], &kFinished, 1));
  watcher_.join();
  pipe_end = -1;
  for (const int end : pipe_) ::close(end);
}

}  // namespace dbandit::cli
