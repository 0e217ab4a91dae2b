#include "spec_flags.hpp"

#include <algorithm>
#include <array>

#include "dbandit/sim/spec_file.hpp"

namespace dbandit::cli {
namespace {

struct Help {
  std::string_view key;
  std::string_view metavar;
  std::string_view group;
  std::string_view text;
};

constexpr auto kHelp = std::to_array<Help>({
    {"theta", "P,P,...", "Problem", "conversion rate of each arm"},
    {"delay", "LAW", "Problem",
     "law of the delay of a conversion, in rounds ('dbandit list delays'); one, or one per arm: geometric:500,50"},
    {"assume-delay", "LAW|common|world", "Policies", "the law that the policies believe in; default world, the true one"},
    {"censor", "M|none", "Problem", "rounds after which an undisclosed conversion is lost"},
    {"horizon", "T", "Problem", "rounds to play"},
    {"policies", "ID,ID,...", "Policies", "who plays; 'dbandit list policies' shows them"},
    {"epsilon", "E", "Policies", "exploration: beta(t) = (1+E) ln t; default 0"},
    {"clamp", "one|none", "Policies", "whether a KL index is capped at 1; default one"},
    {"ties", "random|lowest", "Policies", "who wins a tie of indices; default random"},
    {"start", "permuted|fixed", "Policies", "order of the first pull of each arm; default permuted, by replica"},
    {"radius", "covering|paper", "Policies", "confidence radius of discard-ucb; the printed one under-covers; default covering"},
    {"gamma", "G", "Policies", "ud-agnostic-*: the n-th observed delay has weight n^-G; default 1"},
    {"prior-shape", "A", "Policies", "d-ts, ud-ts, sdb: theta ~ Gamma(A, rate B) before the first round; default 1"},
    {"prior-rate", "B", "Policies", "d-ts, ud-ts, sdb: B of that law; default 1"},
    {"replicas", "R", "Simulation", "independent repetitions; default 1000"},
    {"until", "RULE", "Simulation", "stop before --replicas once precise: regret:0.5%, regret:±0.1 or paired:A,B:±0.1; default none"},
    {"seed", "N", "Simulation", "all randomness is a function of it; default 1"},
    {"at", "t,t,...", "Simulation", "recorded rounds, T always among them; default about 200, log-spaced"},
    {"engine", "auto|simd|reference", "Simulation", "the fast engine, or the paper written literally; default auto"},
    {"exposure", "auto|history|buffer|recursion|approx:E", "Simulation", "how exposure is summed; default auto, the best exact way"},
    {"solver", "auto|bisection|newton|direct", "Simulation", "how the KL index is solved; default auto"},
});

}  // namespace

void SpecFlags::declare(CLI::App& command, std::initializer_list<std::string_view> keys) {
  command.add_option("SPEC", file_, "a TOML file with the same keys as the flags below")->type_name("");
  for (const Help& help : kHelp) {
    if (keys.size() > 0 && std::ranges::find(keys, help.key) == keys.end()) continue;
    flags_[help.key].declare(command, "--" + std::string(help.key), std::string(help.metavar), std::string(help.text),
                             std::string(help.group));
  }
}

sim::SpecDraft SpecFlags::draft() const {
  sim::SpecDraft flags;
  for (const Help& help : kHelp) {
    const auto flag = flags_.find(help.key);
    if (flag == flags_.end()) continue;
    if (const std::string* text = flag->second.value()) sim::assign(flags, help.key, *text);
  }
  return file_.empty() ? flags : sim::merge(sim::read_spec_file(file_), flags);
}

}  // namespace dbandit::cli
