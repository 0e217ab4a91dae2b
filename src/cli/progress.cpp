#include "progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "redraws.hpp"
#include "report/table.hpp"
#include "sim/mpi.hpp"

namespace dbandit::cli {
namespace {

constexpr std::size_t kWidth = 30;
constexpr std::size_t kLeastBar = 5;

/// Columns of the terminal that reads standard error.
std::size_t columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}
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

std::string bar_line(double share, std::string_view pace, std::string_view left, std::size_t width) {
  const std::string percent = fmt::format(" {:3.0f} %", 100 * share);
  // What does not fit goes in this order: the pace, the bar down to a few marks, the bar, the time left.
  const std::size_t least = kLeastBar + 2 + percent.size();
  if (least + left.size() + pace.size() > width) pace = {};
  if (percent.size() + left.size() > width) left = {};
  const std::size_t used = percent.size() + left.size() + pace.size() + 2;
  const std::size_t room = width > used ? std::min(kWidth, width - used) : 0;
  if (room < kLeastBar) return fmt::format("{}{}", percent, left).substr(0, width);
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(room));
  return fmt::format("[{}{}]{}{}{}", std::string(filled, '='), std::string(room - filled, ' '), percent, pace, left);
}

void ProgressFlag::declare(Usage& command) {
  option_.declare(command, "--progress", choice({"auto", "json", "none"}),
                  "how far it is, on standard error: a bar (under mpirun a line now and then), or a JSON object a line; default auto",
                  "Output");
}

Progress ProgressFlag::form(bool quiet) const {
  const std::string* choice = option_.value();
  if (choice == nullptr || *choice == "auto") {
    if (quiet) return Progress::none;
    if (sim::under_mpirun()) return Progress::lines;
    if (::isatty(STDERR_FILENO) != 1) return Progress::none;
    return redraws(STDERR_FILENO) ? Progress::bar : Progress::lines;
  }
  if (*choice != "json" && *choice != "none") throw UserError("--progress: " + dbandit::quoted(*choice) + " is not one of: auto json none");
  return *choice == "json" ? Progress::json : Progress::none;
}

ProgressBar::ProgressBar(Progress form, double replica_rounds, double begun) : form_(form), replica_rounds_(replica_rounds), begun_(begun) {
  if (form_ == Progress::lines) {
    drawn_ = start_;
    pause_ = std::chrono::seconds(2);
  }
  update(0, 1);
}

ProgressBar::~ProgressBar() {
  if (form_ == Progress::bar) draw(kEraseLine);
}

void ProgressBar::tell(double share, double seconds, std::size_t done, std::size_t all) const {
  const double now_done = std::max(0.0, share - begun_);
  draw(fmt::format(R"({{"event":"progress","done":{},"all":{},"seconds":{:.3f},"replica_rounds_per_second":{:.0f},"seconds_left":{}}})"
                   "\n",
                   done, all, seconds, seconds > 0 ? now_done * replica_rounds_ / seconds : 0,
                   now_done > 0 ? fmt::format("{:.3f}", seconds * (1 - share) / now_done) : "null"));
}

void ProgressBar::update(std::size_t done, std::size_t all) {
  const auto now = Clock::now();
  const bool is_last = form_ == Progress::json && done == all;
  if (form_ == Progress::none || (now - drawn_ < pause_ && !is_last)) return;
  drawn_ = now;
  const double share = static_cast<double>(done) / static_cast<double>(all);
  const double seconds = seconds_since(start_);
  if (form_ == Progress::json) return tell(share, seconds, done, all);
  std::string pace, left;
  if (const double now_done = share - begun_; now_done > 0 && seconds > 0) {
    pace = fmt::format("  {} replica-rounds/s", report::count_text(now_done * replica_rounds_ / seconds));
    left = "  ETA " + time_left(seconds * (1 - share) / now_done);
  }
  std::string line;
  if (form_ == Progress::bar) {
    line = std::string(kEraseLine) + bar_line(share, pace, left, columns() - 1);
  } else {
    line = fmt::format("dbandit: {:.1f} % done{}{}\n", 100 * share, pace, left);
    pause_ = std::min<Clock::duration>(2 * pause_, std::chrono::minutes(1));
  }
  draw(line);
}

}  // namespace dbandit::cli
