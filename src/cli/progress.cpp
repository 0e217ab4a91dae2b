#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <string>
#include <string_view>

#include "dbandit/report/table.hpp"

namespace dbandit::cli {
namespace {

constexpr std::size_t kWidth = 30;
constexpr std::string_view kEraseLine = "\r\033[K";

std::string time_left(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

/// A bar that cannot be drawn must not end a run.
void draw(std::string_view text) { static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size())); }

}  // namespace

ProgressBar::ProgressBar(bool wanted, double replica_rounds, double begun)
    : shown_(wanted && ::isatty(STDERR_FILENO) == 1), replica_rounds_(replica_rounds), begun_(begun) {
  update(0, 1);
}

ProgressBar::~ProgressBar() {
  if (shown_) draw(kEraseLine);
}

void ProgressBar::update(std::size_t done, std::size_t all) {
  const auto now = Clock::now();
  if (!shown_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(all);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const auto filled = static_cast<std::size_t>(share * kWidth);
  std::string line =
      fmt::format("{}[{}{}] {:3.0f} %", kEraseLine, std::string(filled, '='), std::string(kWidth - filled, ' '), 100 * share);
  if (const double now_done = share - begun_; now_done > 0 && seconds > 0) {
    line += fmt::format("  {} replica-rounds/s  ETA {}", report::count_text(now_done * replica_rounds_ / seconds),
                        time_left(seconds * (1 - share) / now_done));
  }
  draw(line);
}

}  // namespace dbandit::cli
