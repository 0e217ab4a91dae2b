#include "against.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "child.hpp"
#include "core/clock.hpp"
#include "core/text.hpp"
#include "interrupt.hpp"
#include "other_program.hpp"
#include "redraws.hpp"
#include "report/table.hpp"
#include "stats/signed_rank.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

constexpr double kAlpha = 0.05;        // of all rows together
constexpr double kWidestRatio = 0.02;  // a row is repeated until the interval of its ratio is as narrow

/// A simulation that both programs run, some 60 ms of one core: long against the start of a process, some 5 ms of it.
struct Measurement {
  std::string_view name, theta, delay;
  std::int64_t horizon, replicas;
  std::vector<std::string> more;
};

constexpr std::string_view kThree = "0.1,0.05,0.03";
constexpr std::string_view kThirty =
    "0.1,0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.05,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,0.03,"
    "0.03,0.03,0.03,0.03";

std::vector<Measurement> measurements() {
  const std::vector<std::string> klucb{"--policies", "d-klucb"}, rounds{"--engine", "rounds"};
  const auto both = [](std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  return {
      {"d-ucb, round by round", kThree, "geometric:500", 10'000, 1024, both({"--policies", "d-ucb"}, rounds)},
      {"d-klucb, round by round", kThree, "geometric:500", 10'000, 1024, both(klucb, rounds)},
      {"d-klucb, leaping, T = 10^5", kThree, "geometric:500", 100'000, 384, both(klucb, {"--engine", "leap"})},
      {"d-ts", kThree, "geometric:500", 10'000, 384, {"--policies", "d-ts"}},
      {"recursion of a mixture", kThree, "criteo:minutes=10", 10'000, 512, both(klucb, rounds)},
      {"buffer of 1000 rounds", kThree, "geometric:500", 10'000, 16, both(both(klucb, rounds), {"--exposure", "buffer"})},
      {"d-klucb, 30 arms", kThirty, "geometric:500", 10'000, 128, both(klucb, rounds)},
  };
}

/// One row of the table: a simulation, and what both sides took.
struct Row {
  std::string name;
  std::vector<std::string> words;       ///< what both programs are given
  std::vector<double> ours, theirs;     ///< CPU seconds, of all runs
  std::vector<double> log_ratios = {};  ///< ours to theirs, of each repetition
};

std::vector<Row> rows(bool smoke) {
  std::vector<Row> all;
  for (const Measurement& given : measurements()) {
    std::vector<std::string> words{"run", "--theta", std::string(given.theta), "--delay", std::string(given.delay), "--censor", "1000"};
    const std::int64_t horizon = smoke ? 100 : given.horizon, replicas = smoke ? 8 : given.replicas;
    words.insert(words.end(), {"--horizon", fmt::format("{}", horizon), "--replicas", fmt::format("{}", replicas), "--threads", "1",
                               "--quiet", "--csv"});
    words.insert(words.end(), given.more.begin(), given.more.end());
    all.push_back({std::string(given.name), std::move(words), {}, {}});
    if (smoke && all.size() == 2) break;
  }
  return all;
}

/// What it is at, on standard error: in place on a terminal, else a line when the number of repetitions has doubled.
class Status {
 public:
  ~Status() { wipe(); }
  Status() = default;
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;

  void say(std::string_view line) const { write(in_place_ ? fmt::format("\r\033[K{}", line) : fmt::format("{}\n", line)); }
  void pass(std::size_t pass, std::string_view line) {
    if (!in_place_ && pass < next_) return;
    next_ = 2 * pass;
    say(line);
  }
  void wipe() const {
    if (in_place_) write("\r\033[K");
  }

 private:
  static void write(std::string_view text) { static_cast<void>(!::write(STDERR_FILENO, text.data(), text.size())); }
  bool in_place_ = redraws(STDERR_FILENO);
  std::size_t next_ = 1;
};

class Comparison {
 public:
  Comparison(const Against& asked, std::filesystem::path other, std::stop_token stop)
      : asked_(asked), ours_(this_program()), theirs_(std::move(other)), stop_(std::move(stop)), rows_(rows(asked.smoke)) {}

  /// Each once by both: what one of them cannot do is left out and said; where the numbers differ, that is said too.
  void check() {
    std::vector<Row> kept;
    for (Row& row : rows_) {
      const ChildOutcome ours = run(ours_, row), theirs = run(theirs_, row);
      if (ours.exit != 0) throw UserError(fmt::format("bench: '{}' failed: {}", row.name, trimmed(ours.err)), ExitCode::failure);
      if (theirs.exit != 0) {
        notes_.push_back(fmt::format("{}: left out, the other ended with {}: {}", row.name, theirs.exit, trimmed(theirs.err)));
        continue;
      }
      if (ours.out != theirs.out) notes_.push_back(fmt::format("{}: the two print other numbers", row.name));
      kept.push_back(std::move(row));
    }
    if (kept.empty()) throw UserError(fmt::format("--against: '{}' runs none of the simulations; {}", theirs_.string(), notes_.front()));
    rows_ = std::move(kept);
  }

  void measure(Status& status) {
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t pass = 1;; ++pass) {
      bool is_complete = true;
      for (Row& row : rows_) {
        if (is_enough(row)) continue;
        is_complete = false;
        if (seconds_since(start) >= asked_.seconds) return;
        repeat(row, pass);
      }
      if (is_complete) return;
      double widest = 0;
      for (const Row& row : rows_) widest = std::max(widest, std::expm1(stats::signed_rank_interval(row.log_ratios, kAlpha).width()));
      status.pass(pass, fmt::format("repetition {}, {:.0f} s of at most {:.0f} s, widest interval {}", pass, seconds_since(start),
                                    asked_.seconds, std::isinf(widest) ? "open" : fmt::format("{:.1f} %", 100 * widest)));
    }
  }

  ExitCode tell() const {
    std::vector<std::vector<double>> log_ratios;
    for (const Row& row : rows_) log_ratios.push_back(row.log_ratios);
    const std::vector<stats::Judgement> judged = stats::judge_changes(log_ratios, std::log1p(asked_.threshold), kAlpha);
    using enum report::Align;
    report::Columns columns{.align = {left, right, right, right, right, right, right, left},
                            .rows = {{"simulation", "this", "other", "ratio", "95 % interval", "p", "n", "verdict"}},
                            .highlight = {}};
    std::size_t slower = 0, faster = 0, open = 0, few = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& [centre, p] = judged[i];
      const double most = std::log1p(asked_.threshold);
      const double change = 100 * std::expm1(centre.estimate);
      std::string verdict = "no change";
      if (p < kAlpha && centre.estimate > 0) {
        ++slower;
        verdict = fmt::format("slower by {:.1f} %", change);
      } else if (p < kAlpha) {
        ++faster;
        verdict = fmt::format("faster by {:.1f} %", -change);
      } else if (std::exp2(1 - static_cast<double>(rows_[i].log_ratios.size())) * static_cast<double>(rows_.size()) >= kAlpha) {
        ++few;  // even if all of them agreed
        verdict = "too few repetitions";
      } else if (centre.low < -most || centre.high > most) {
        ++open;
        verdict = "no change found";
      }
      columns.rows.push_back(
          {rows_[i].name, milliseconds(rows_[i].ours), milliseconds(rows_[i].theirs), fmt::format("{:.3f}", std::exp(centre.estimate)),
           std::isinf(centre.width()) ? "open" : fmt::format("{:.3f} to {:.3f}", std::exp(centre.low), std::exp(centre.high)),
           fmt::format("{:.2g}", p), fmt::format("{}", rows_[i].log_ratios.size()), verdict});
    }
    std::string text =
        asked_.style.dim(fmt::format("this: {}\nother: {}\n\n", ours_.string(), theirs_.string())) + columns.text(asked_.style);
    for (const std::string& line : notes_) text += line + "\n";
    text += asked_.style.dim(
        "\nCPU time of one thread, median; n repetitions of this, other, other, this; p by the signed-rank test, Holm's over the rows\n");
    const std::string beyond = fmt::format("beyond {:g} % (--threshold {:g})", 100 * asked_.threshold, 100 * asked_.threshold);
    if (slower + faster > 0) {
      text += asked_.style.bold(fmt::format("{} slower and {} faster {}, of {}", slower, faster, beyond, rows_.size())) + "\n";
    } else if (few < rows_.size()) {
      text += asked_.style.good("no change " + beyond) + "\n";
    }
    if (few > 0) text += fmt::format("{} of {} ran too few times to be judged; a longer --time repeats them\n", few, rows_.size());
    if (open > 0) {
      text += fmt::format("{} of {} could still hide one: the interval reaches further; a longer --time narrows it\n", open, rows_.size());
    }
    print(text);
    return slower > 0 ? ExitCode::differs : ExitCode::done;
  }

 private:
  static std::string milliseconds(std::vector<double> seconds) {
    if (seconds.empty()) return "";
    const auto middle = seconds.begin() + std::ssize(seconds) / 2;
    std::ranges::nth_element(seconds, middle);
    return fmt::format("{:.1f} ms", 1e3 * *middle);
  }

  [[nodiscard]] bool is_enough(const Row& row) const {
    if (asked_.smoke) return row.log_ratios.size() >= stats::kLeastPairs;
    return stats::are_enough(row.log_ratios, std::log1p(kWidestRatio), kAlpha);
  }

  /// In the order ABBA, then BAAB: what drifts slowly cancels, and neither always comes first.
  void repeat(Row& row, std::size_t pass) const {
    double log_ratio = 0;
    for (const bool is_outer : {true, false, false, true}) {
      const bool is_ours = is_outer == (pass % 2 == 1);
      const ChildOutcome outcome = run(is_ours ? ours_ : theirs_, row);
      if (outcome.exit != 0) {
        throw UserError(fmt::format("bench: '{}' ended with {}: {}", row.name, outcome.exit, trimmed(outcome.err)), ExitCode::failure);
      }
      const double seconds = std::max(outcome.cpu_seconds, 1e-6);
      (is_ours ? row.ours : row.theirs).push_back(seconds);
      log_ratio += (is_ours ? 0.5 : -0.5) * std::log(seconds);
    }
    row.log_ratios.push_back(log_ratio);
  }

  [[nodiscard]] ChildOutcome run(const std::filesystem::path& program, const Row& row) const {
    try {
      ChildOutcome outcome = run_child(program, row.words, stop_, [](std::string_view) {});
      if (stop_.stop_requested()) throw UserError("interrupted: nothing was compared", ExitCode::interrupted);
      return outcome;
    } catch (const std::system_error& error) {
      throw UserError(fmt::format("--against: '{}' cannot be run: {}", program.string(), error.code().message()));
    }
  }

  const Against& asked_;
  std::filesystem::path ours_, theirs_;
  std::stop_token stop_;
  std::vector<Row> rows_;
  std::vector<std::string> notes_;
};

}  // namespace

ExitCode bench_against(const Against& asked) {
  const Interrupt interrupt;
  Status status;
  Comparison comparison(asked, other_program(asked.other, interrupt.token(), [&](std::string_view line) { status.say(line); }),
                        interrupt.token());
  status.say("each simulation once by both");
  comparison.check();
  comparison.measure(status);
  status.wipe();
  return comparison.tell();
}

}  // namespace dbandit::cli
