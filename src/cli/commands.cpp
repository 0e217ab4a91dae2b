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
  dbandit run --resume results/mine
  dbandit run --extend results/mine --replicas 1000000
  dbandit run spec.toml --at 100,1000,10000 --json | jq '.policies[].final_regret'

SPEC.toml holds the same keys as the flags (theta = [0.1, 0.05], delay = "geometric:500", ...); flags override it.
A d-*, discard-* or agnostic-* policy needs --censor; a ud-* policy runs the uncensored setting of the same problem.)",
     declare_run},
    {"merge", "fold the shards of one run into its result",
     R"(Example:
  dbandit run spec.toml --replicas 1000000 --shard 1/2 --out part1
  dbandit run spec.toml --replicas 1000000 --shard 2/2 --out part2
  dbandit merge part1 part2 --out whole

The result is that of the run without --shard, to the byte.)",
     declare_merge},
    {"bounds", "print the slopes per ln T of the lower and upper bounds",
     R"(Example:
  dbandit bounds --theta 0.5,0.4,0.3 --delay geometric:500 --censor 1000)",
     declare_bounds},
    {"list", "show what there is: policies, delays, targets or solvers",
     R"(Example:
  dbandit list targets)",
     declare_list},
});

constexpr auto kLater = std::to_array<std::string_view>({
    "reproduce",
    "claims",
    "sweep",
    "plot",
    "bench",
    "league",
    "report",
    "plan",
    "doctor",
    "replay",
    "compare",
    "--vary",
    "--assume-delay",
    "--report",
    "--progress",
});

}  // namespace

std::span<const Command> commands() { return kCommands; }

bool belongs_to_a_later_version(std::string_view word) { return std::ranges::find(kLater, word) != kLater.end(); }

}  // namespace dbandit::cli
