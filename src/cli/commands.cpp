#include <algorithm>
#include <array>

#include "command.hpp"

namespace dbandit::cli {
namespace {

constexpr auto kCommands = std::to_array<Command>({
    {"run", "simulate policies on one problem and report their regret",
     R"(Examples:
  dbandit run --theta 0.1,0.05,0.03 --delay geometric:500 --censor 1000 --horizon 10000 --policies d-klucb,d-ucb
  dbandit run spec.toml --replicas 100000 --out results/mine
  dbandit run spec.toml --at 100,1000,10000 --json | jq '.policies[].final_regret'

SPEC.toml holds the same keys as the flags (theta = [0.1, 0.05], delay = "geometric:500", ...); flags override it.
A d-*, discard-* or agnostic-* policy needs --censor; a ud-* policy runs the uncensored setting of the same problem.)",
     declare_run},
    {"bounds", "print the slopes per ln T of the lower and upper bounds",
     R"(Example:
  dbandit bounds --theta 0.5,0.4,0.3 --delay geometric:500 --censor 1000)",
     declare_bounds},
    {"list", "show what there is: policies, delays, targets or solvers",
     R"(Example:
  dbandit list targets)",
     declare_list},
    {"bench", "measure this machine: what each shortcut buys, how far from the limit",
     R"(Examples:
  dbandit bench --quick
  dbandit bench --out results/mine --compare results/throughput/summary.json

Each kernel is compared with the reference before it is timed. Needs the benchmark programs beside this one ('./run.sh bench'
builds them), and gnuplot for the plots (Debian: gnuplot-nox).)",
     declare_bench},
    {"plot", "draw the curves of stored results again, or several over each other",
     R"(Examples:
  dbandit plot results/paper/fig1/low
  dbandit plot results/mine results/paper/fig1/low --out results/both

Writes figure.svg and figure.png. Needs gnuplot (Debian: gnuplot-nox).)",
     declare_plot},
});

constexpr auto kLater = std::to_array<std::string_view>({
    "reproduce",
    "claims",
    "sweep",
    "league",
    "report",
    "plan",
    "doctor",
    "replay",
    "compare",
    "merge",
    "--resume",
    "--extend",
    "--until",
    "--shard",
    "--vary",
    "--assume-delay",
    "--report",
    "--progress",
});

}  // namespace

std::span<const Command> commands() { return kCommands; }

bool belongs_to_a_later_version(std::string_view word) { return std::ranges::find(kLater, word) != kLater.end(); }

}  // namespace dbandit::cli
