#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "report/table.hpp"
#include "sim/mpi.hpp"

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

void ProgressFlag::declare(Usage& command) {
  option_.declare(command, "--progress", choice({"auto", "json", "none"}),
                  "how far it is, on standard error: a bar (under mpirun a line now and then), or a JSON object a line; default auto",
                  "Output");
}

Progress ProgressFlag::form(bool quiet) const {
  const std::string* choice = option_.value();
  if (choice == nullptr || *choice == "auto") {
    if (quiet) return Progress::none;
    return sim::under_mpirun() ? Progress::lines : ::isatty(STDERR_FILENO) == 1 ? Progress::bar : Progress::none;
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
  const auto filled = static_cast<std::size_t>(share * kWidth);
  const bool in_place = form_ == Progress::bar;
  std::string line =
      in_place ? fmt::format("{}[{}{}] {:3.0f} %", kEraseLine, std::string(filled, '='), std::string(kWidth - filled, ' '), 100 * share)
               : fmt::format("dbandit: {:.1f} % done", 100 * share);
  if (const double now_done = share - begun_; now_done > 0 && seconds > 0) {
    line += fmt::format("  {} replica-rounds/s  ETA {}", report::count_text(now_done * replica_rounds_ / seconds),
                        time_left(seconds * (1 - share) / now_done));
  }
  if (!in_place) {
    line += '\n';
    pause_ = std::min<Clock::duration>(2 * pause_, std::chrono::minutes(1));
  }
  draw(line);
}

}  // namespace dbandit::cli
