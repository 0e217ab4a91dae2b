// The ratios by which the project judges itself. The two sides of a ratio are timed next to each other, in turning order, once in every
// pass over all of them: what slows the machine down for longer than a moment slows both. Prints one JSON document.
//   bench_ratios [--passes N] [--progress] [--smoke]
// --progress says on standard error what it is at; --smoke does everything once on toy problems, and the figures mean nothing.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/policy/catalogue.hpp"
#include "engine_work.hpp"
#include "floor_work.hpp"
#include "pages/throughput.hpp"
#include "sim/machine.hpp"

namespace dbandit::bench {
namespace {

using report::Json;

/// One side of a ratio: work, and what it took per item in each pass.
struct Side {
  std::string of;
  Work work;
  std::vector<double> seconds = {};
};

/// The two sides of a ratio.
struct Pair {
  std::string_view name, what;
  Better better;
  std::optional<double> target;
  Side numerator, denominator;   ///< the ratio is time per item of the first over that of the second
  std::string unavailable = {};  ///< why this machine has no such ratio
  bool by_wall = false;          ///< several threads: their times add up to more than passes
};

bool learns_delays(model::Statistic statistic) {
  using enum model::Statistic;
  return statistic == agnostic_window || statistic == agnostic_mean || statistic == agnostic_likelihood;
}

/// Of several policies against one, the slowest alone is told of.
struct Slowest {
  std::string_view name, what;
  double target;
  std::vector<Pair> of;
};

/// What is measured, at the given horizon.
class Measurements {
 public:
  explicit Measurements(std::int64_t horizon) : horizon_(horizon) {}

  [[nodiscard]] Side engine(std::string of, EngineCase given = {}) const {
    if (given.horizon == EngineCase().horizon) given.horizon = horizon_;
    return {std::move(of), engine_work(given)};
  }
  [[nodiscard]] Side floor(std::string of, model::IndexForm index) const {
    return {std::move(of), floor_work(kernel::best_target(), index, horizon_)};
  }
  [[nodiscard]] Side run(std::string of, int threads) const { return {std::move(of), run_work(2048, horizon_, threads)}; }
  [[nodiscard]] Side per_arm(std::string of, std::size_t arms) const {
    Side side = engine(std::move(of), {.arms = arms});
    side.work.items *= static_cast<double>(arms);
    return side;
  }
  /// One good arm among so many, per arm.
  [[nodiscard]] Pair many_arms(std::string_view name, std::string_view what, std::size_t arms, std::int64_t longer) const {
    const auto side = [&](std::size_t of) {
      std::vector<double> theta(of, 0.05);
      theta.front() = 0.1;
      const std::int64_t horizon = std::max(longer * horizon_, 2 * static_cast<std::int64_t>(arms));  // each is played once
      Side made = engine(fmt::format("K = {}, per arm", of), {.arms = of, .horizon = horizon, .theta = theta});
      made.work.items *= static_cast<double>(of);
      return made;
    };
    return {name, what, Better::lower, 1.0, side(arms), side(10)};
  }
  /// Every policy of the catalogue against d-ucb, those that learn the delays apart: uncensored where it must be.
  [[nodiscard]] std::vector<Slowest> policies() const {
    Slowest knows{"slowest_policy_over_ucb", "the slowest policy that need not learn the delays against d-ucb, time", 5, {}};
    Slowest learns{"slowest_agnostic_over_ucb", "the slowest policy that learns the delays against d-ucb, time", 8, {}};
    for (const policy::Entry& entry : policy::catalogue()) {
      const model::Window window = entry.setting == policy::Setting::uncensored ? model::Window() : model::Window(1000);
      Side side = engine(std::string(entry.id), {.policy = std::string(entry.id), .window = window});
      (learns_delays(entry.statistic) ? learns : knows)
          .of.push_back({entry.id, entry.id, Better::lower, {}, std::move(side), engine("d-ucb", {.policy = "d-ucb"})});
    }
    return {std::move(knows), std::move(learns)};
  }
  /// A horizon of ten times the usual one, so that a window of 10^4 fills and empties.
  [[nodiscard]] Side long_run(std::string of, std::int64_t window) const {
    return engine(std::move(of), {.window = window, .horizon = 10 * horizon_});
  }
  /// Round by round against leaping, for so many times the usual rounds.
  [[nodiscard]] Pair leap(std::string_view name, std::string_view what, const std::vector<double>& theta, std::int64_t longer,
                          double target) const {
    const auto side = [&](const char* of, sim::Engine by) {
      return engine(of, {.horizon = longer == 1 ? EngineCase().horizon : longer * horizon_, .engine = by, .theta = theta});
    };
    return {name, what, Better::higher, target, side("round by round", sim::Engine::rounds), side("leaping", sim::Engine::leap)};
  }
  /// Both targets at work on d-klucb, the lesser one first; or why not.
  [[nodiscard]] Pair targets(std::string_view name, std::string_view what, std::string_view wide, std::optional<double> target) const {
    const kernel::Target* wider = kernel::find_target(wide);
    const kernel::Target& baseline = kernel::targets().back();
    Pair ratio{name, what, Better::higher, target, engine(std::string(baseline.name), {.target = &baseline}), {}};
    if (wider == nullptr) {
      ratio.unavailable = "for another processor";
    } else if (wider->supported()) {
      ratio.denominator = engine(std::string(wide), {.target = wider});
    } else {
      ratio.unavailable = fmt::format("this CPU lacks {}", wider->requirement);
    }
    return ratio;
  }

  [[nodiscard]] std::vector<Pair> all() const {
    using enum Better;
    using model::IndexForm;
    std::vector<Pair> ratios;
    ratios.push_back({"klucb_simd_over_reference", "d-klucb: the reference (buffer, bisection) against simd (recursion, direct)", higher,
                      300, engine("reference d-klucb", {.target = nullptr}), engine("d-klucb")});
    ratios.push_back({"ucb_simd_over_reference",
                      "d-ucb: the reference (buffer) against simd (recursion)",
                      higher,
                      {},
                      engine("reference d-ucb", {.target = nullptr, .policy = "d-ucb"}),
                      engine("d-ucb", {.policy = "d-ucb"})});
    ratios.push_back({"klucb_over_ucb_time", "simd d-klucb against simd d-ucb, time", lower, 1.4, engine("d-klucb"),
                      engine("d-ucb", {.policy = "d-ucb"})});
    ratios.push_back({"direct_over_bisection", "d-klucb: bisection against direct, whole simulation", higher, 10,
                      engine("bisection", {.lanes = 32, .solver = model::Solver::bisection}), engine("direct")});
    ratios.push_back({"recursion_over_buffer_m1000", "d-klucb: buffer against recursion, m = 1000, whole simulation", higher, 15,
                      engine("buffer", {.lanes = 32, .exposure = model::Exposure::buffer}), engine("recursion")});
    ratios.push_back(
        {"mixture_recursion_over_buffer",
         "d-klucb, criteo:minutes=10, m = 4320: buffer against the recursion of the mixture",
         higher,
         {},
         engine("buffer, criteo", {.window = 4320, .lanes = 32, .exposure = model::Exposure::buffer, .law = "criteo:minutes=10"}),
         engine("recursion, criteo", {.window = 4320, .law = "criteo:minutes=10"})});
    ratios.push_back({"approx_over_buffer",
                      "d-klucb, weibull:0.7,400, m = 1000: buffer against approx:1e-6",
                      higher,
                      {},
                      engine("buffer, Weibull", {.lanes = 32, .exposure = model::Exposure::buffer, .law = "weibull:0.7,400"}),
                      engine("approx:1e-6, Weibull", {.exposure = model::Exposure::approx, .law = "weibull:0.7,400", .tolerance = 1e-6})});
    ratios.push_back({"recursion_m10000_over_m100_time", "recursion, m = 10⁴ against m = 10², time", lower, 1.4,
                      engine("m = 10⁴", {.window = 10000}), engine("m = 10²", {.window = 100})});
    ratios.push_back({"recursion_m10000_over_m100_time_long", "the same at T = 10⁵, where the longer window fills too", lower, 1.4,
                      long_run("m = 10⁴", 10000), long_run("m = 10²", 100)});
    ratios.push_back({"threads2_over_1", "1 thread against 2, whole runs", higher, 1.9, run("1 thread", 1), run("2 threads", 2)});
    ratios.back().by_wall = true;
    if (sim::cores().usable() < 2) ratios.back().unavailable = "one core is all that this process may use";
    ratios.push_back(targets("avx512_over_sse2", "d-klucb: sse2 against avx512", "avx512", 3));
    ratios.push_back(targets("avx2_over_sse2", "d-klucb: sse2 against avx2", "avx2", {}));
    ratios.push_back({"engine_over_floor_ucb", "d-ucb against the least work it could be (bench/floor.hpp), time", lower, 1.5,
                      engine("d-ucb", {.policy = "d-ucb"}), floor("floor of d-ucb", IndexForm::ucb)});
    ratios.push_back({"engine_over_floor_klucb", "d-klucb against the least work it could be, time", lower, 1.5, engine("d-klucb"),
                      floor("floor of d-klucb", IndexForm::klucb)});
    ratios.push_back({"k30_over_k3_per_arm_time", "d-klucb: K = 30 against K = 3, time per arm and round", lower, 1.0,
                      per_arm("K = 30, per arm", 30), per_arm("K = 3, per arm", 3)});
    ratios.push_back(
        many_arms("k100_over_k10_per_arm_time", "d-klucb, rates 0.1 and 0.05: K = 100 against K = 10, time per arm and round", 100, 1));
    ratios.push_back(many_arms("k300_over_k10_per_arm_time", "the same, K = 300", 300, 1));
    ratios.push_back(many_arms("k1000_over_k10_per_arm_time", "the same, K = 1000", 1000, 1));
    ratios.push_back(many_arms("k1000_over_k10_per_arm_time_long", "the same at T = 4·10⁴, when the arms are no longer clamped", 1000, 4));
    ratios.push_back({"t1e3_over_t1e4_time", "d-klucb: T = 10³ against T = 10⁴, time per round", lower, 2.0,
                      engine("T = 10³", {.horizon = horizon_ / 10}), engine("T = 10⁴")});
    ratios.push_back({"agnostic_klucb_over_ucb", "agnostic-klucb against d-ucb, time", lower, 8,
                      engine("agnostic-klucb", {.policy = "agnostic-klucb"}), engine("d-ucb", {.policy = "d-ucb"})});
    const std::vector<double> low = low_rates(3), lowest{0.01, 0.005, 0.003}, high{0.5, 0.4, 0.3};
    ratios.push_back(leap("leap_over_rounds_1e4", "d-klucb, θ_L, T = 10⁴: round by round against leaping", low, 1, 1.5));
    ratios.push_back(leap("leap_over_rounds_1e5", "the same, T = 10⁵", low, 10, 4));
    ratios.push_back(leap("leap_over_rounds_1e6", "the same, T = 10⁶", low, 100, 7));
    ratios.push_back(leap("leap_over_rounds_lowest_1e5", "the same, θ = (.01, .005, .003), T = 10⁵", lowest, 10, 4));
    ratios.push_back(leap("leap_over_rounds_lowest_1e6", "the same, T = 10⁶", lowest, 100, 12));
    ratios.push_back(leap("leap_over_rounds_high_1e6", "the same, θ_H, T = 10⁶", high, 100, 4));
    return ratios;
  }

 private:
  std::int64_t horizon_;
};

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Wall and CPU time of everything that ran on one thread: what is missing between them went to somebody else.
struct Spent {
  double wall = 0, cpu = 0;
};

/// Seconds per item; short works are repeated until `least` has passed. Of one thread it is the CPU time, which other programs disturb
/// less than the wall's.
double time_per_item(const Work& work, double least, bool by_wall, Spent& spent) {
  using Now = std::chrono::steady_clock;
  const auto start = Now::now();
  const double cpu = cpu_seconds();
  double items = 0, seconds = 0;
  do {
    work.run();
    items += work.items;
    seconds = std::chrono::duration<double>(Now::now() - start).count();
  } while (seconds < least);
  if (by_wall) return seconds / items;
  const double used = cpu_seconds() - cpu;
  spent.wall += seconds;
  spent.cpu += used;
  return used / items;
}

/// One of each pass.
std::vector<double> values_of(const Pair& ratio) {
  std::vector<double> values;
  for (std::size_t pass = 0; pass < ratio.numerator.seconds.size(); ++pass) {
    values.push_back(ratio.numerator.seconds[pass] / ratio.denominator.seconds[pass]);
  }
  return values;
}

Json ratio_json(const Pair& ratio) {
  const std::vector<double> values = values_of(ratio);
  Json json = ratio.unavailable.empty() ? spread_json(spread(values))
                                        : Json{{"median", Json()}, {"spread", Json()}, {"n", 0}, {"reason", ratio.unavailable}};
  json["better"] = ratio.better == Better::higher ? "higher" : "lower";
  json["target"] = ratio.target ? Json(*ratio.target) : Json();
  json["what"] = ratio.what;
  if (ratio.unavailable.empty()) {
    for (const auto& [key, side] : {std::pair("numerator", &ratio.numerator), std::pair("denominator", &ratio.denominator)}) {
      json[key] = {{"of", side->of}, {"ns", 1e9 * spread(side->seconds).median}};
    }
  }
  return json;
}

/// The slowest of several policies by the median of its passes, named.
Json slowest_json(const Slowest& slowest) {
  const Pair& worst = *std::ranges::max_element(slowest.of, {}, [](const Pair& ratio) { return spread(values_of(ratio)).median; });
  Json json = ratio_json(worst);
  json["target"] = slowest.target;
  json["what"] = fmt::format("{}: {}", slowest.what, worst.name);
  return json;
}

/// Where the nanoseconds of a replica-round go: the least of all passes, since whatever interrupts a stage is counted as its own.
class StageTimes {
 public:
  StageTimes(std::string of, EngineCase given) : of_(std::move(of)), given_(std::move(given)) {}

  void measure() {
    const Profiled profiled = profile(given_);
    const double nanoseconds = 1e9 / engine_work(given_).items;
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) stages_[stage].push_back(profiled.seconds[stage] * nanoseconds);
    other_.push_back(profiled.other * nanoseconds);
    decided_exactly_ = profiled.decided_exactly;
    rounds_per_look_ = profiled.rounds_per_look;
  }
  [[nodiscard]] Json json() const {
    Json stages;
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      stages[std::string(kernel::kStageNames[stage])] = std::ranges::min(stages_[stage]);
    }
    stages["other"] = std::ranges::min(other_);
    return {{"ns", std::move(stages)}, {"decided_exactly", decided_exactly_}, {"rounds_per_look", rounds_per_look_}};
  }
  [[nodiscard]] const std::string& of() const { return of_; }

 private:
  std::string of_;
  EngineCase given_;
  std::array<std::vector<double>, kernel::kStageNames.size()> stages_;
  std::vector<double> other_;
  double decided_exactly_ = 0, rounds_per_look_ = 0;  ///< the same in every pass
};

struct Options {
  int passes = 15;
  bool smoke = false, progress = false;
};

std::optional<Options> options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--smoke") {
      options.passes = 1;
      options.smoke = true;
    } else if (word == "--progress") {
      options.progress = true;
    } else if (word == "--passes" && i + 1 < argc && std::atoi(argv[i + 1]) > 0) {
      options.passes = std::atoi(argv[++i]);
    } else {
      return std::nullopt;
    }
  }
  return options;
}

int measure(const Options& options) {
  const std::int64_t horizon = options.smoke ? 200 : EngineCase().horizon;
  const double least = options.smoke ? 0 : 0.01;
  const auto tell = [&](const std::string& line) {
    if (options.progress) fmt::print(stderr, "{}\n", line);
  };
  std::vector<Pair> ratios = Measurements(horizon).all();
  std::vector<Slowest> policies = Measurements(horizon).policies();
  std::vector<Pair*> pairs;  // all of them
  for (Pair& ratio : ratios) pairs.push_back(&ratio);
  for (Slowest& slowest : policies) {
    for (Pair& ratio : slowest.of) pairs.push_back(&ratio);
  }
  std::erase_if(pairs, [](const Pair* ratio) { return !ratio->unavailable.empty(); });
  for (Pair* const at : pairs) {
    Pair& ratio = *at;
    tell(fmt::format("checking {}", ratio.name));
    for (Side* side : {&ratio.numerator, &ratio.denominator}) {
      if (const std::string fault = side->work.fault(); !fault.empty()) {
        fmt::print(stderr, "{}: {}: {}\n", ratio.name, side->of, fault);
        return 1;
      }
    }
  }
  std::vector<StageTimes> breakdowns{{"d-ucb", {.policy = "d-ucb", .horizon = horizon}}, {"d-klucb", {.horizon = horizon}}};
  const auto leaping = [&](std::string of, std::vector<double> theta, std::int64_t longer) {
    breakdowns.emplace_back(std::move(of), EngineCase{.horizon = longer * EngineCase().horizon / (options.smoke ? longer : 1),
                                                      .lanes = 64,
                                                      .engine = sim::Engine::leap,
                                                      .theta = std::move(theta)});
  };
  leaping("θ_L, T = 10⁴", low_rates(3), 1);
  leaping("θ_L, T = 10⁵", low_rates(3), 10);
  leaping("θ_L, T = 10⁶", low_rates(3), 100);
  leaping("θ = (.01, .005, .003), T = 10⁶", {0.01, 0.005, 0.003}, 100);
  leaping("θ_H, T = 10⁶", {0.5, 0.4, 0.3}, 100);
  Spent spent;
  for (int pass = 0; pass < options.passes; ++pass) {
    for (Pair* const at : pairs) {
      Pair& ratio = *at;
      tell(fmt::format("pass {} of {}: {}", pass + 1, options.passes, ratio.name));
      Side *first = &ratio.numerator, *second = &ratio.denominator;
      if (pass % 2 == 1) std::swap(first, second);
      for (Side* side : {first, second}) side->seconds.push_back(time_per_item(side->work, least, ratio.by_wall, spent));
    }
    for (StageTimes& breakdown : breakdowns) breakdown.measure();
  }

  Json document{{"schema", "dbandit.ratios.v1"}, {"target", kernel::best_target().name}, {"passes", options.passes}};
  document["taken_away"] = spent.wall > 0 ? std::max(0.0, 1 - spent.cpu / spent.wall) : 0;
  for (const Pair& ratio : ratios) document["ratios"][std::string(ratio.name)] = ratio_json(ratio);
  for (const Slowest& slowest : policies) document["ratios"][std::string(slowest.name)] = slowest_json(slowest);
  for (const Pair& ratio : ratios) {
    if (ratio.name != "klucb_over_ucb_time") continue;
    for (const auto& [side, target] : {std::pair(&ratio.denominator, 175e6), std::pair(&ratio.numerator, 130e6)}) {
      std::vector<double> rates;
      for (const double seconds : side->seconds) rates.push_back(1 / seconds);
      Json& rate = document["rates"][side->of] = spread_json(spread(std::move(rates)));
      rate["target"] = target;
    }
  }
  for (const StageTimes& breakdown : breakdowns) document["stages"][breakdown.of()] = breakdown.json();
  fmt::print("{}\n", document.dump());
  return 0;
}

}  // namespace
}  // namespace dbandit::bench

int main(int argc, char** argv) {
  const auto options = dbandit::bench::options(argc, argv);
  if (!options) {
    fmt::print(stderr, "usage: bench_ratios [--passes N] [--progress] [--smoke]\n");
    return 2;
  }
  try {
    return dbandit::bench::measure(*options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_ratios: {}\n", error.what());
    return 1;
  }
}
