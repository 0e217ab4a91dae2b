#include <fmt/format.h>

#include <array>

#include "command.hpp"

namespace dbandit::cli {
namespace {

constexpr std::string_view kExamples = R"(Examples:
  dbandit run --theta 0.1,0.05,0.03 --delay geometric:500 --censor 1000 --horizon 10000 --policies d-klucb,d-ucb
  dbandit bounds --theta 0.5,0.4,0.3 --delay geometric:500 --censor 1000
  dbandit list policies
  dbandit run --help)";
constexpr std::string_view kEnvironment = R"(Environment:
  NO_COLOR  when set, no colour unless --color always)";

const Word kHelp{"--help", "print the help and exit", Usage::kGeneral, {}, {}};

constexpr std::string_view kNothing = "nothing is left behind: it writes nothing";
constexpr std::string_view kAtTheEnd =
    "nothing is left behind: files are written at the end, whole or not at all, and what they replace stays until then";
constexpr std::string_view kStudy =
    "what was simulated is stored in DIR/checkpoint, and no result is written; the same command, or --resume DIR, continues to the same "
    "bytes";

constexpr auto kCommands = std::to_array<Command>({
    {"run",
     "simulate policies on one problem and report their regret",
     R"(Examples:
  dbandit run --theta 0.1,0.05,0.03 --delay geometric:500 --censor 1000 --horizon 10000 --policies d-klucb,d-ucb
  dbandit run spec.toml --replicas 100000 --out results/mine
  dbandit run --resume results/mine
  dbandit run --extend results/mine --replicas 1000000
  dbandit run spec.toml --at 100,1000,10000 --json | jq -r '.policies[] | [.policy, .curve[-1].regret.mean] | @tsv'

SPEC.toml holds the same keys as the flags (theta = [0.1, 0.05], delay = "geometric:500", ...); flags override it.
A d-*, discard-* or agnostic-* policy needs --censor; a ud-* policy runs the uncensored setting of the same problem.)",
     "with --out what was simulated is stored in DIR/checkpoint, and no curve is written; the same command, or --resume DIR, continues to "
     "the "
     "same bytes. What is printed is marked as partial. Without --out nothing is left behind",
     declare_run,
     "Simulate",
     {.has_checkpoint = true}},
    {"init",
     "write a spec with every key explained, to begin with",
     R"(Examples:
  dbandit init > spec.toml
  dbandit init spec.toml && dbandit run spec.toml)",
     kAtTheEnd,
     declare_init,
     "Simulate",
     {.mismatch = "the file is there already"}},
    {"trace", "show one replica round by round: arms, indices, exposures, disclosures",
     R"(Examples:
  dbandit trace --theta 0.5,0.3 --delay geometric:5 --censor 10 --policies d-klucb
  dbandit trace spec.toml --replica 7 --rounds 1000..1040 --csv

The replica is the one that 'run' plays with the same seed; the paper written literally plays it here.)",
     kNothing, declare_trace, "Simulate"},
    {"merge",
     "fold the shards of one run into its result",
     R"(Example:
  dbandit run spec.toml --replicas 1000000 --shard 1/2 --out part1
  dbandit run spec.toml --replicas 1000000 --shard 2/2 --out part2
  dbandit merge part1 part2 --out whole

The result is that of the run without --shard, to the byte.)",
     kAtTheEnd,
     declare_merge,
     "Simulate",
     {.has_checkpoint = true}},
    {"bounds", "print the slopes per ln T of the lower and upper bounds",
     R"(Example:
  dbandit bounds --theta 0.5,0.4,0.3 --delay geometric:500 --censor 1000)",
     kNothing, declare_bounds, "Study"},
    {"reproduce",
     "run the paper's experiments: tables, verdicts, figures",
     R"(Examples:
  dbandit reproduce --quick
  dbandit reproduce fig1 --replicas 10000 --out results/mine
  dbandit reproduce fig1 --theta 0.02,0.01 --delay weibull:0.7,400 --quick

Each experiment gets a folder with spec.toml, curve.csv, band.csv, distribution.csv, risk.csv, summary.json, manifest.json,
figure.svg, .png and .pdf.)",
     kStudy,
     declare_reproduce,
     "Study",
     {.has_checkpoint = true}},
    {"claims",
     "measure what the paper says, and judge it",
     R"(Examples:
  dbandit claims --quick
  dbandit claims lemma1 ucb-low
  dbandit claims --list

Exits with 1 when a verdict is not the expected one.)",
     "what was simulated is stored in DIR/checkpoint, and no result is written; the same command, or --resume DIR, continues to the same "
     "bytes. Of a selection without --out nothing is left behind",
     declare_claims,
     "Study",
     {.has_checkpoint = true, .fails = "a verdict is not the expected one, or something that should not happen"}},
    {"sweep",
     "vary one or two parameters over a grid, as one parallel job",
     R"(Examples:
  dbandit sweep --vary censor=log:10:10000:7 --theta 0.1,0.05,0.03 --delay geometric:500 --horizon 10000 --policies d-klucb,discard-klucb
  dbandit sweep spec.toml --vary best=log:0.02:0.8:9 --vary relative-gap=lin:0.1:0.9:9

best, gap, relative-gap and arms make the problem one best arm, listed first, and equal others; what is not varied is taken from
--theta. Writes spec.toml, sweep.csv, paired.csv, manifest.json, figure.svg, .png and .pdf.)",
     kStudy,
     declare_sweep,
     "Study",
     {.has_checkpoint = true}},
    {"league",
     "every policy on the same problems: paired tests, ranks where they separate, advice",
     R"(Examples:
  dbandit league --quick
  dbandit league --out results/mine

Writes README.md, league.csv, standings.csv, times.csv, manifest.json, figure.svg, .png and .pdf.)",
     kStudy,
     declare_league,
     "Study",
     {.has_checkpoint = true}},
    {"slopes",
     "how fast regret grows per ln T, up to 10^8 rounds, next to the theory's limits",
     R"(Examples:
  dbandit slopes --quick
  dbandit slopes --threads 8 --out results/mine

Growth is that of each replica, decade by decade, for ε = 0 and ε = 0.2; then the T at which UCB overtakes Poisson KL-UCB at central rates,
and what is beyond the leading term against window and mean delay. Writes README.md, slopes.csv, crossing.csv, remainder.csv, slopes.json,
manifest.json, figure.svg, .png and .pdf.)",
     kStudy,
     declare_slopes,
     "Study",
     {.has_checkpoint = true}},
    {"plot", "draw the curves of stored results again, or several over each other",
     R"(Examples:
  dbandit plot results/paper/fig1/low
  dbandit plot results/mine results/paper/fig1/low --out results/both

Writes figure.svg, .png and .pdf. Needs gnuplot (Debian: gnuplot-nox).)",
     kAtTheEnd, declare_plot, "Look at results"},
    {"report", "make one page of stored results: charts, tables, provenance, for a browser",
     R"(Examples:
  dbandit report results/mine
  dbandit report results/paper/fig1/low results/paper/fig1/high -o fig1.html
  dbandit reproduce fig1 --quick --report

The page is one file, needs no network and can be sent by mail. A program that was built without its chart library says how to get it.)",
     kAtTheEnd, declare_report, "Look at results"},
    {"plan", "say what a run or sweep would cost, without running it",
     R"(Examples:
  dbandit plan --theta 0.1,0.05,0.03 --delay geometric:500 --censor 1000 --horizon 10000 --policies d-klucb,d-ucb --replicas 1000000
  dbandit plan spec.toml --vary censor=log:10:10000:7

Takes the flags of 'dbandit run', and --vary of 'dbandit sweep'. Counts and disk are by formula, memory is the most that
could be allocated, time is predicted from a fraction of a second's calibration. Exits with 2 when it would not fit.)",
     kNothing, declare_plan, "Simulate"},
    {"status",
     "say how far what a folder holds is, and what continues it",
     R"(Example:
  dbandit status results/mine

Reads the checkpoint, also while it is being written. Exits with 0 when all of it is done, with 3 when something is left.)",
     kNothing,
     declare_status,
     "Look at results",
     {.has_checkpoint = true, .differs = "something is left to do"}},
    {"replay",
     "run a stored result again and compare the bytes",
     R"(Examples:
  dbandit replay results/mine
  dbandit replay results/paper

Needs the folder alone. Compares every file but the timings; exits with 3 when a byte differs, and says where.)",
     kNothing,
     declare_replay,
     "Look at results",
     {.differs = "a byte differs"}},
    {"diagnose", "say what a stored result can and cannot support",
     R"(Example:
  dbandit diagnose results/mine

Replicas for its intervals and quantiles, window, horizon, ties, priors, beliefs: what doctor is for a machine.)",
     kNothing, declare_diagnose, "Look at results"},
    {"compare",
     "compare two stored results: settings, regret, speed",
     R"(Examples:
  dbandit compare results/before results/after
  dbandit compare results/before results/after --rerun --threshold 2%

Exits with 3 when a policy became worse beyond its interval and --threshold.)",
     kNothing,
     declare_compare,
     "Look at results",
     {.differs = "a policy became worse beyond its interval and --threshold"}},
    {"fit", "fit conversion rates and the law of the delays to a log of clicks",
     R"(Examples:
  dbandit fit clicks.csv --round 10m
  dbandit fit clicks.csv --columns start=click_time,conversion=sale_time,arm=campaign --window 30d --out fitted
  dbandit run spec.toml --log logs && dbandit fit logs/d-klucb.csv --round 1

Rates and law are found together by maximum likelihood: a click that has not converted counts for as long as it was observed, not as a
failure. Clicks are observed until their 'end', or until --end, or until the latest time of the log, and never beyond --window.)",
     kAtTheEnd, declare_fit, "Study"},
    {"list", "show what there is: policies, their settings, delays, targets or solvers",
     R"(Example:
  dbandit list targets)",
     kNothing, declare_list, "This program and this machine"},
    {"bench",
     "measure this machine: what each shortcut buys, how far from the limit",
     R"(Examples:
  dbandit bench --quick
  dbandit bench --against HEAD~1
  dbandit bench --against /opt/dbandit/bin/dbandit --threshold 2 --time 300

Each kernel is compared with the reference before it is timed. Needs the benchmark programs beside this one ('./run.sh bench'
builds them), and gnuplot for the plots (Debian: gnuplot-nox). --against needs neither: both programs run a few simulations in turn,
their CPU times are compared by a rank test, and the exit code is 3 when this one is slower by more than --threshold percent.)",
     kAtTheEnd,
     declare_bench,
     "This program and this machine",
     {.differs = "with --against: this program is slower beyond --threshold"}},
    {"doctor", "look at this machine and this build, and say what to fix",
     R"(Examples:
  dbandit doctor
  dbandit doctor --json | jq '.findings[] | select(.ok | not)')",
     kNothing, declare_doctor, "This program and this machine"},
    {"generate", "", "", kNothing, declare_generate, ""},
});

struct ExitRow {
  ExitCode code;
  std::string_view when;
  bool of_checkpoints = false;  ///< only of commands that have one
};
constexpr auto kExits = std::to_array<ExitRow>({
    {ExitCode::done, "done"},
    {ExitCode::failure, "failure: something that should not happen"},
    {ExitCode::usage, "usage or spec: the line on standard error says what is allowed"},
    {ExitCode::differs,
     "what was compared differs: 'replay', or a regression found by 'compare' or 'bench --against'; 'status': not done yet"},
    {ExitCode::io, "input/output: a file, directory or standard output could not be written"},
    {ExitCode::mismatch, "the directory holds another run, or one of another version of the program", true},
    {ExitCode::damaged, "the directory's checkpoint is damaged", true},
    {ExitCode::busy, "another process is running in the directory", true},
    {ExitCode::interrupted, "interrupted (Ctrl-C, SIGTERM, SIGHUP)"},
});

/// The codes of the program, or of one of its commands.
std::string exit_codes(const Command* command) {
  std::string text = "Exit codes:";
  for (const auto& [code, when, of_checkpoints] : kExits) {
    std::string_view said = when;
    if (command != nullptr) {
      if (of_checkpoints && !command->exits.has_checkpoint && !(code == ExitCode::mismatch && !command->exits.mismatch.empty())) continue;
      if (code == ExitCode::differs && command->exits.differs.empty()) continue;
      if (code == ExitCode::differs) said = command->exits.differs;
      if (code == ExitCode::mismatch && !command->exits.mismatch.empty()) said = command->exits.mismatch;
      if (code == ExitCode::failure && !command->exits.fails.empty()) said = command->exits.fails;
    }
    text += fmt::format("\n  {:<4} {}", static_cast<int>(code), said);
  }
  return text;
}

std::string help_end(const Command& command) {
  return fmt::format("{}\n\n{}\n\nInterrupted (exit 130):\n  {}.", command.examples, exit_codes(&command), command.interrupted);
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

Declared declared(const Command& command) {
  Declared all{.usage = {std::string(command.name), std::string(command.summary), std::string(command.group), help_end(command), {kHelp}},
               .action = {}};
  all.action = command.declare(all.usage);
  return all;
}

Usage program_usage() {
  return {.name = {},
          .summary = "Bandits with delayed conversions: simulates policies that learn from conversions disclosed late or never.",
          .group = {},
          .end = fmt::format("{}\n\n{}: the help of each command says what that leaves behind\n\n{}", kExamples, exit_codes(nullptr),
                             kEnvironment),
          .words = {kHelp, {"-V,--version", "print version, commit and compiler and exit", Usage::kGeneral, {}, {}}}};
}

}  // namespace dbandit::cli
