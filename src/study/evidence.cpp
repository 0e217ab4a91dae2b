#include "study/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>

#include "dbandit/sim/spec_file.hpp"
#include "sim/keys.hpp"

namespace dbandit::study {
namespace {

using Policies = std::vector<sim::Policy>;

const std::vector<double> kHigh{0.5, 0.4, 0.3}, kLow{0.1, 0.05, 0.03}, kTiny{0.01, 0.005, 0.003};

/// §7: delays of mean 500 rounds, a window of 1000, 10 000 rounds. The rounds of a curve, and those that claims speak of: the
/// tie phase, the end of the window, when Discarding has its first index, and multiples of the window.
sim::Settings paper(const std::vector<double>& theta, Policies policies) {
  sim::Settings spec;
  spec.theta = theta;
  spec.delay = model::Geometric{500};
  spec.censor = 1000;
  spec.horizon = 10'000;
  spec.policies = std::move(policies);
  spec.at = sim::default_rounds(spec.horizon, 94);
  spec.at.insert(spec.at.end(), {100, 1000, 1003, 2000, 3000, 5000});
  std::ranges::sort(spec.at);
  spec.at.erase(std::unique(spec.at.begin(), spec.at.end()), spec.at.end());
  return spec;
}

/// A thousand times the paper's horizon, by decades: neighbours are compared within the replica.
sim::Settings longer(const std::vector<double>& theta, Policies policies, std::int64_t horizon = 10'000'000) {
  sim::Settings spec = paper(theta, std::move(policies));
  spec.horizon = horizon;
  spec.at.clear();
  for (std::int64_t round = 100; round <= horizon; round *= 10) spec.at.push_back(round);
  return spec;
}

/// §3: delays that cannot exceed the window, so that waiting reveals every outcome.
sim::Settings bounded(std::int64_t longest, Policies policies) {
  sim::Settings spec = longer(kLow, std::move(policies), 100'000);
  spec.at = {1000, 2000, 10'000, 100'000};
  spec.delay = model::Uniform{longest};
  spec.censor = longest;
  return spec;
}

/// Delays and window stretched together, so that τ_m and with it the leading constants stay as they are.
sim::Settings stretched(std::int64_t window) {
  sim::Settings spec = longer(kLow, {"d-ucb", "d-klucb"}, 100'000);
  spec.delay = model::Geometric{static_cast<double>(window) / 2};
  spec.censor = window;
  return spec;
}

template <class Change>
sim::Settings with(sim::Settings spec, Change change) {
  change(spec);
  return spec;
}

/// A short one, in which every implementation of the exposure can be afforded.
sim::Settings short_run(sim::Engine engine, model::Exposure exposure) {
  sim::Settings spec = paper(kLow, {"d-ucb", "d-klucb"});
  spec.delay = model::Geometric{50};
  spec.censor = 100;
  spec.horizon = 500;
  spec.at = sim::default_rounds(spec.horizon, 100);
  spec.engine = engine;
  spec.exposure = exposure;
  return spec;
}

std::vector<NamedRun> make_runs() {
  const Policies both{"d-ucb", "d-klucb", "ud-ucb", "ud-klucb"}, delayed{"d-ucb", "d-klucb"};
  const Policies discarding{"d-ucb", "discard-ucb", "d-klucb", "discard-klucb"};
  const Policies estimating{"ud-klucb", "ud-agnostic-klucb", "ud-agnostic-mle-klucb"};
  const Policies agnostic{"d-klucb", "agnostic-klucb", "ud-klucb", "ud-agnostic-klucb"};
  const auto window = [&](std::int64_t m) { return with(paper(kLow, delayed), [&](sim::Settings& spec) { spec.censor = m; }); };
  const auto delay = [&](double mean) {
    return with(paper(kLow, delayed), [&](sim::Settings& spec) { spec.delay = model::Geometric{mean}; });
  };
  const auto uncensored = [](sim::Settings& spec) { spec.censor.reset(); };
  const auto lowest = [](sim::Settings& spec) { spec.ties = model::Ties::lowest; };
  const auto fixed = [](sim::Settings& spec) { spec.start = model::StartOrder::fixed; };
  const auto longest = [](sim::Settings& spec) {
    spec.horizon = 100'000;
    spec.at = {1000, 10'000, 100'000};
  };
  using enum model::Exposure;
  return {
      {"fig1/high", "fig1", "UCB against KL-UCB when conversions are common, both settings", paper(kHigh, both), 1000, 20'000},
      {"fig1/low", "fig1", "UCB against KL-UCB when conversions are rare, both settings", paper(kLow, both), 1000, 20'000},
      {"fig2/low", "fig2", "using recent pulls against discarding them", paper(kLow, discarding), 1000, 20'000},
      {"fig3/high", "fig3", "knowing the delays against estimating them, common conversions", paper(kHigh, agnostic), 1000, 20'000},
      {"fig3/low", "fig3", "knowing the delays against estimating them, rare conversions", paper(kLow, agnostic), 1000, 20'000},
      {"long/high", "", "a thousand times the horizon, common conversions", longer(kHigh, both), 64, 512},
      {"long/low", "", "a thousand times the horizon, rare conversions",
       longer(kLow, {"d-ucb", "discard-ucb", "d-klucb", "discard-klucb", "discard-bernkl"}), 64, 512},
      {"long/uncensored", "", "the same without a window, and without delays",
       with(longer(kLow, {"ud-ucb", "ud-klucb", "oracle-klucb"}), uncensored), 64, 512},
      {"long/sampling", "", "Thompson sampling at a hundred times the horizon", longer(kLow, {"d-ts"}, 1'000'000), 128, 1024},
      {"long/epsilon", "", "a thousand times the horizon, exploring with ε = 0.2",
       with(longer(kLow, delayed), [](sim::Settings& spec) { spec.epsilon = 0.2; }), 64, 256},
      {"price/high", "", "Discarding with the Poisson and with the Bernoulli divergence, common conversions",
       longer(kHigh, {"discard-klucb", "discard-bernkl"}, 1'000'000), 256, 1024},
      {"bounded/8", "", "delays of at most 8 rounds", bounded(8, {"etc", "d-klucb"}), 1000, 4000},
      {"bounded/1024", "", "delays of at most 1024 rounds", bounded(1024, {"etc"}), 1000, 4000},
      {"bounded/1000", "", "delays of at most 1000 rounds, and those who wait for them", bounded(1000, {"d-klucb", "qpmd-klucb", "sdb"}),
       500, 2000},
      {"bounded/4096", "", "delays of at most 4096 rounds", bounded(4096, {"etc", "d-klucb"}), 1000, 4000},
      {"queues/naive", "", "queues of conversions only", paper(kLow, {"qpmd-klucb-naive", "qpmd-ucb-naive", "uniform"}), 500, 2000},
      {"stretched/250", "", "delays of mean 125, a window of 250", stretched(250), 2000, 4096},
      {"stretched/1000", "", "delays of mean 500, a window of 1000", stretched(1000), 2000, 4096},
      {"stretched/4000", "", "delays of mean 2000, a window of 4000", stretched(4000), 2000, 4096},
      {"late/low", "", "a hundred times the horizon, using recent pulls against discarding them", longer(kLow, discarding, 1'000'000), 256,
       2048},
      {"uniform/censored", "", "each arm once, then an arm at random in every round", paper(kLow, {"uniform"}), 500, 10'000},
      {"uniform/uncensored", "", "the same without a window", with(paper(kLow, {"uniform"}), uncensored), 500, 10'000},
      {"window/100", "", "a window of 100 rounds", window(100), 1000, 10'000},
      {"window/300", "", "a window of 300 rounds", window(300), 1000, 10'000},
      {"delay/50", "", "delays of mean 50 rounds", delay(50), 1000, 10'000},
      {"delay/2000", "", "delays of mean 2000 rounds", delay(2000), 1000, 10'000},
      {"agnostic/high", "", "two ways to estimate the mean delay, common conversions", with(paper(kHigh, estimating), uncensored), 1000,
       20'000},
      {"agnostic/low", "", "two ways to estimate the mean delay, rare conversions", with(paper(kLow, estimating), uncensored), 1000,
       20'000},
      {"tiny", "", "rates of at most one percent, ten times the horizon", with(paper(kTiny, delayed), longest), 500, 5000},
      {"thompson/low", "", "Thompson sampling against KL-UCB, low rates", paper(kLow, {"d-ts", "d-klucb"}), 1000, 20'000},
      {"thompson/high", "", "the same at central rates", paper(kHigh, {"d-ts", "d-klucb"}), 1000, 20'000},
      {"ties/lowest", "", "ties go to the arm listed first", with(paper(kLow, delayed), lowest), 1000, 20'000},
      {"start/fixed", "", "the arms are first tried in the order of the list", with(paper(kLow, delayed), fixed), 1000, 20'000},
      {"sum/history", "", "exposure summed by its definition", short_run(sim::Engine::reference, history), 64, 512},
      {"sum/buffer", "", "exposure summed over a buffer of the last m pulls", short_run(sim::Engine::rounds, buffer), 64, 512},
      {"sum/recursion", "", "exposure by recursion", short_run(sim::Engine::rounds, recursion), 64, 512},
  };
}

}  // namespace

std::span<const NamedRun> named_runs() {
  static const std::vector<NamedRun> runs = make_runs();
  return runs;
}

const NamedRun& named_run(std::string_view name) {
  const auto found = std::ranges::find(named_runs(), name, &NamedRun::name);
  assert(found != named_runs().end());
  return *found;
}

std::vector<NamedRun> figure_runs(std::string_view figure) {
  std::vector<NamedRun> runs;
  std::ranges::copy_if(named_runs(), std::back_inserter(runs),
                       [&](const NamedRun& run) { return !run.figure.empty() && (figure == "all" || figure == run.figure); });
  return runs;
}

bool Evidence::has(std::span<const std::string> names) const {
  return std::ranges::all_of(names, [&](const std::string& name) { return runs.contains(name); });
}

std::string command(const sim::Spec& spec) {
  const std::vector<sim::Flag> said = sim::spec_flags(spec);
  std::string line = "dbandit run";
  for (const std::string_view key : sim::key_names()) {
    const bool always = key == "replicas" || key == "seed", is_long = key == "at" && spec->at.size() > 10;
    if (!is_long && (always || std::ranges::find(said, key, &sim::Flag::key) != said.end()))
      line += fmt::format(" --{} {}", key, sim::key_flag(*spec, key));
  }
  return line;
}

}  // namespace dbandit::study
