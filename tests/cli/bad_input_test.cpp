#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "dbandit/kernel/target.hpp"

/// Whatever is wrong with what was typed: one line on standard error that names the flag, or file and line, and says what
/// is allowed; nothing on standard output; nothing written.
namespace dbandit::test {
namespace {

using Words = std::vector<std::string>;

struct BadInput {
  std::string name;
  Words arguments;
  std::string says;  ///< a fragment of the line
  int exit = 2;
};

/// A valid run with one flag replaced, or added.
Words with(const std::string& flag, const std::string& value) {
  Words words = small_run();
  const auto found = std::find(words.begin(), words.end(), flag);
  if (found == words.end()) return words + Words{flag, value};
  *(found + 1) = value;
  return words;
}

Words without(const std::string& flag) {
  Words words = small_run();
  const auto found = std::find(words.begin(), words.end(), flag);
  words.erase(found, found + 2);
  return words;
}

std::string baseline() { return std::string(kernel::targets().back().name); }
std::string every_target() {
  std::string names;
  for (const kernel::Target& target : kernel::targets()) names += (names.empty() ? "" : " ") + std::string(target.name);
  return names;
}

const std::vector<BadInput> kBadInputs{
    // Commands
    {"NoCommand", {}, "a command is missing"},
    {"UnknownCommand", {"frobnicate"}, "'frobnicate': no such command"},
    {"HelpOfAnUnknownCommand", {"frobnicate", "--help"}, "'frobnicate': no such command"},
    {"MistypedCommand", {"bonds"}, "did you mean 'bounds'?"},
    {"UnknownGlobalFlag", {"--verbose"}, "'--verbose': no such flag"},
    {"FlagOfRunBeforeIt", {"--theta", "0.5", "run"}, "'--theta': no such flag"},
    {"EmptyCommand", {""}, "no such command"},
    // Flags
    {"UnknownFlag", small_run() + Words{"--frobnicate"}, "'--frobnicate': no such flag"},
    {"MistypedFlag", small_run() + Words{"--horizont", "5"}, "did you mean '--horizon'?"},
    {"SingleDash", small_run() + Words{"-x"}, "'-x': no such flag"},
    {"FlagWithoutValue", small_run() + Words{"--epsilon"}, "--epsilon: needs a value"},
    {"FlagTwice", small_run() + Words{"--theta", "0.2"}, "--theta: given twice, '0.5,0.3' and '0.2'"},
    {"JsonAndCsv", small_run() + Words{"--json", "--csv"}, "--json and --csv: choose one"},
    {"JsonWithValue", small_run() + Words{"--json=maybe"}, "json"},
    {"TwoSpecFiles", {"run", "a.toml", "b.toml"}, "'b.toml': one argument too many"},
    {"ColorUnknown", with("--color", "blue"), "--color: 'blue' is not one of: auto always never"},
    // Sessions and shards
    {"ResumeAndOut", small_run() + Words{"--resume", "somewhere", "--out", "elsewhere"}, "--out, --resume and --extend: choose one"},
    {"CheckpointEveryWord", small_run() + Words{"--checkpoint-every", "often"}, "--checkpoint-every: 'often' is not a number of seconds"},
    {"CheckpointEveryNegative", small_run() + Words{"--checkpoint-every", "-1"}, "--checkpoint-every: '-1' is not a number of seconds"},
    {"UntilWord", small_run() + Words{"--until", "good"}, "--until: 'good' is not none, a precision as in regret:0.5%"},
    {"UntilZero", small_run() + Words{"--until", "regret:0%"}, "--until: 'regret:0%' is not none, a precision"},
    {"UntilWithoutUnit", small_run() + Words{"--until", "regret:0.5"}, "--until: 'regret:0.5' is not none, a precision"},
    {"UntilStranger", small_run() + Words{"--until", "paired:d-klucb,d-ucb:+-1"}, "--until: 'd-ucb' is not one of the --policies"},
    {"ShardZero", small_run() + Words{"--shard", "0/4", "--out", "nowhere"}, "--shard: '0/4' is not I/N"},
    {"ShardBeyond", small_run() + Words{"--shard", "5/4", "--out", "nowhere"}, "--shard: '5/4' is not I/N"},
    {"MergeNothing", {"merge"}, "merge: give the directories of all shards"},
    // Folders
    {"PlotNowhere", {"plot", "nowhere"}, "'nowhere': there is no such folder; allowed is a folder that 'dbandit run --out' wrote"},
    {"PlotOfNoResult", {"plot", "/tmp"}, "'/tmp': holds no result; allowed is a folder"},
    {"PlotIntoAKindThatThereIsNot",
     {"plot", "nowhere", "--out", "figure.gif"},
     "--out: 'figure.gif' cannot be drawn; allowed is a folder, or a file that ends with one of: .svg .png .pdf"},
    {"DiagnoseNowhere", {"diagnose", "nowhere"}, "'nowhere': there is no such folder; allowed is a folder that"},
    {"CompareWithAFile", {"compare", "/etc/passwd", "nowhere"}, "'/etc/passwd': is a file; allowed is a folder that"},
    {"StatusNowhere", {"status", "nowhere"}, "'nowhere': there is no such folder; allowed is a folder that --out named"},
    {"ListNothing", {"list"}, "list: is missing what to list; give one of: policies settings delays"},
    // Benchmarks
    {"BenchNoTime", {"bench", "--against", "x", "--time", "0"}, "--time: '0' is not a number of seconds above 0"},
    {"BenchUnknownFlag", {"bench", "--quik"}, "did you mean '--quick'?"},
    {"BenchArgument", {"bench", "results"}, "'results': one argument too many"},
    // Problem
    {"RatesWithSpaces", with("--theta", "0.5 0.3"),
     "'0.5 0.3' does not belong in a list of 1 to 65535 numbers from 0 to 1; commas separate them"},
    {"PoliciesWithSpaces", with("--policies", "d-ucb d-klucb"),
     "'d-ucb d-klucb' is not a policy; commas separate them, as in d-ucb,d-klucb"},
    {"PolicyInCapitals", with("--policies", "D-UCB"), "'D-UCB' is not a policy; did you mean 'd-ucb'?"},
    {"DelayInShort", with("--delay", "geom:5"), "'geom:5': unknown law; did you mean 'geometric'?"},
    {"DelayWithoutALaw", with("--delay", "500"), "'500': a number is no law; did you mean 'geometric:500'?"},
    {"DelayExponential", with("--delay", "exponential:5"), "in whole rounds the exponential law is 'geometric'"},
    {"FileBeyondAscii", with("--delay", "empirical:wäit.csv"), "'empirical:wäit.csv': the file cannot be read"},
    {"ThetaMissing", without("--theta"), "--theta: is missing"},
    {"ThetaAboveOne", with("--theta", "0.1,1.5"), "--theta: 1.5 does not belong in a list of 1 to 65535 numbers from 0 to 1"},
    {"ThetaNegative", with("--theta", "-0.1,0.5"), "--theta: -0.1 does not belong"},
    {"ThetaNotANumber", with("--theta", "0.1,half"), "--theta: 'half' does not belong"},
    {"ThetaNan", with("--theta", "nan"), "--theta: "},
    {"ThetaInfinite", with("--theta", "0.1,inf"), "--theta: "},
    {"ThetaEmpty", with("--theta", ""), "--theta: "},
    {"ThetaTrailingComma", with("--theta", "0.1,"), "--theta: "},
    {"ThetaTwoLines", with("--theta", "0.1\n0.2"), "--theta: "},
    {"ThetaWithTail", with("--theta", "0.1x"), "--theta: '0.1x'"},
    {"DelayMissing", without("--delay"), "--delay: is missing"},
    {"DelayUnknown", with("--delay", "poisson:5"), "--delay: 'poisson:5'"},
    {"DelayWithoutMean", with("--delay", "geometric"), "allowed: geometric:MEAN"},
    {"DelayEmptyMean", with("--delay", "geometric:"), "--delay: "},
    {"DelayNegativeMean", with("--delay", "geometric:-1"), "--delay: "},
    {"DelayInfiniteMean", with("--delay", "geometric:inf"), "--delay: "},
    {"DelayHugeMean", with("--delay", "geometric:1e9"), "--delay: "},
    {"DelayTwoLines", with("--delay", "geo\nmetric:5"), "--delay: "},
    {"CensorMissing", without("--censor"), "--censor: none, but policy 'd-klucb' needs a window"},
    {"CensorNone", with("--censor", "none"), "needs a window"},
    {"CensorZero", with("--censor", "0"), "--censor: 0 is not an integer from 1 to 1000000000, or none"},
    {"CensorNegative", with("--censor", "-5"), "--censor: -5"},
    {"CensorFraction", with("--censor", "1.5"), "--censor: '1.5'"},
    {"CensorTooLong", with("--censor", "1000000001"), "--censor: "},
    {"CensorBeyond64Bits", with("--censor", "99999999999999999999"), "--censor: "},
    {"HorizonMissing", without("--horizon"), "--horizon: is missing"},
    {"HorizonZero", with("--horizon", "0"), "--horizon: 0 is not an integer from the number of arms to 1000000000"},
    {"HorizonBelowArms", with("--horizon", "1"), "--horizon: 1 is not"},
    {"HorizonWord", with("--horizon", "long"), "--horizon: 'long'"},
    {"HorizonNotWhole", with("--horizon", "1.5e0"), "--horizon: '1.5e0'"},
    {"HorizonTooLong", with("--horizon", "1000000001"), "--horizon: "},
    // Policies
    {"PoliciesMissing", without("--policies"), "--policies: is missing"},
    {"PoliciesEmpty", with("--policies", ""), "--policies: "},
    {"PolicyUnknown", with("--policies", "d-klucb,thompson"), "--policies: 'thompson' is not a policy; see 'dbandit list policies'"},
    {"PolicyMistyped", with("--policies", "d-kulcb"), "did you mean 'd-klucb'?"},
    {"PolicyTwice", with("--policies", "uniform,uniform"), "--policies: 'uniform' is given twice"},
    {"EpsilonNegative", with("--epsilon", "-0.5"), "--epsilon: -0.5 is not a number from 0"},
    {"EpsilonWord", with("--epsilon", "small"), "--epsilon: 'small'"},
    {"EpsilonNan", with("--epsilon", "nan"), "--epsilon: "},
    {"ClampUnknown", with("--clamp", "two"), "--clamp: 'two' is not one of: one none"},
    {"TiesUnknown", with("--ties", "highest"), "--ties: 'highest' is not one of: random lowest"},
    {"StartUnknown", with("--start", "sorted"), "--start: 'sorted' is not one of: permuted fixed"},
    {"RadiusUnknown", with("--radius", "printed"), "--radius: 'printed' is not one of: covering paper"},
    {"GammaTooSmall", with("--gamma", "0.4"), "--gamma: 0.4 is not a number from 0.5 to 1"},
    {"GammaTooLarge", with("--gamma", "1.1"), "--gamma: 1.1"},
    // Simulation
    {"ReplicasZero", with("--replicas", "0"), "--replicas: 0 is not an integer from 1"},
    {"ReplicasNegative", with("--replicas", "-3"), "--replicas: -3"},
    {"ReplicasFraction", with("--replicas", "10.5"), "--replicas: '10.5'"},
    {"ReplicasTooMany", with("--replicas", "10000000001"), "--replicas: "},
    {"SeedNegative", with("--seed", "-1"), "--seed: '-1' is not an integer from 0"},
    {"SeedTooLarge", with("--seed", "18446744073709551616"), "--seed: "},
    {"SeedWord", with("--seed", "lucky"), "--seed: 'lucky'"},
    {"AtZero", with("--at", "0,10"), "--at: 0 does not belong in a list of 1 to 10000 increasing rounds from 1 to the horizon"},
    {"AtBeyondHorizon", with("--at", "10,61"), "--at: 61 is not a round from 1 to the horizon (60)"},
    {"AtFalling", with("--at", "30,10"), "--at: 10 after 30"},
    {"AtTwice", with("--at", "10,10"), "--at: 10 after 10"},
    {"AtWord", with("--at", "10,end"), "--at: 'end'"},
    {"EngineUnknown", with("--engine", "gpu"), "--engine: 'gpu' is not one of: auto simd leap rounds reference"},
    {"ExposureUnknown", with("--exposure", "approx"), "--exposure: 'approx' is not one of: auto history buffer recursion approx:ERROR"},
    {"ExposureHistoryOnSimd", with("--exposure", "history"),
     "--exposure: 'history' is not one of: buffer recursion approx (with --engine simd)"},
    {"ExposureApproxWithoutNeed", with("--exposure", "approx:1e-6"), "--exposure: 'approx' is for laws without a recursion"},
    {"ExposureRecursionWithoutOne", with("--delay", "weibull:0.7,5") + Words{"--exposure", "recursion"},
     "--exposure: 'recursion' does not exist for weibull:0.7,5; allowed is buffer (exact) or approx:1e-6"},
    {"ExposureApproxOutOfRange", with("--delay", "weibull:0.7,5") + Words{"--exposure", "approx:2"},
     "--exposure: approx:2 is not approx:ERROR with an error of the CDF from 1e-09 to 0.1"},
    {"ExposureApproxOfAStep", with("--delay", "empirical:1*0+1*9") + Words{"--exposure", "approx:1e-9"}, "allowed is approx:"},
    {"DelayWithInfiniteMean", with("--delay", "pareto:0.9,5"),
     "--censor: policy 'ud-ucb' waits for every conversion, but the delays have an infinite mean"},
    {"DelayBeyondTheWindow", with("--delay", "constant:50"), "--censor: with constant:50 no conversion is ever"},
    {"DelaysForOtherArms", with("--delay", "geometric:5,6,7"), "--delay: 3 laws for 2 arms"},
    {"AssumeDelayUnknown", small_run() + Words{"--assume-delay", "gauss:5"}, "--assume-delay: 'gauss:5': unknown law"},
    {"EmpiricalWithoutFile", with("--delay", "empirical:no-such-file"), "the file cannot be read"},
    {"ExposureRecursionOnReference", with("--engine", "reference") + Words{"--exposure", "recursion"},
     "--exposure: 'recursion' is not one of"},
    {"SolverUnknown", with("--solver", "secant"), "--solver: 'secant' is not one of: auto bisection newton direct"},
    {"SolverDirectOnReference", with("--engine", "reference") + Words{"--solver", "direct"}, "--solver: 'direct' is not one of: bisection"},
    {"ThreadsNegative", with("--threads", "-1"), "--threads: '-1' is not an integer from 0"},
    {"ThreadsWord", with("--threads", "many"), "--threads: 'many' is not an integer from 0"},
    {"ThreadsTooMany", with("--threads", "1000000"), "--threads: '1000000' is not an integer from 0"},
    {"TargetUnknown", with("--target", "mmx"), "--target: 'mmx' is not one of: " + every_target()},
    {"TargetOnReference", with("--engine", "reference") + Words{"--target", baseline()},
     "--target: '" + baseline() + "' is for the simd engine"},
    // Spec files
    {"SpecFileMissing", {"run", "no-such-file.toml"}, "no-such-file.toml: cannot be read"},
    {"SpecFileIsADirectory", {"run", "."}, ".: is a folder; allowed is the path of a TOML file"},
    {"SpecFileUnreadable", {"run", "/proc/self/mem"}, "/proc/self/mem: "},
    {"SpecFileEndless", {"run", "/dev/zero"}, "/dev/zero: "},
    // Other commands
    {"BoundsWithoutTheta", {"bounds", "--delay", "geometric:5"}, "--theta: is missing"},
    {"BoundsWithoutDelay", {"bounds", "--theta", "0.5,0.4"}, "--delay: is missing"},
    {"BoundsThetaAboveOne", {"bounds", "--theta", "2", "--delay", "geometric:5"}, "--theta: 2 does not belong"},
    {"BoundsDoesNotRun", {"bounds", "--theta", "0.5", "--delay", "geometric:5", "--replicas", "5"}, "'--replicas': no such flag"},
    {"ListUnknown", {"list", "colours"}, "list: 'colours' is not one of: policies settings delays targets solvers"},
    {"ListMistyped", {"list", "polices"}, "did you mean 'policies'?"},
    {"ListTwo", {"list", "policies", "delays"}, "'delays': one argument too many"},
    {"CompareThresholdWord",
     {"compare", "a", "b", "--threshold", "two"},
     "--threshold: 'two' is not a percentage of the regret from 0, as in 2 or 2%"},
    {"CompareThresholdNegative", {"compare", "a", "b", "--threshold", "-2"}, "--threshold: '-2' is not a percentage"},
    // Directories
    {"OutIsAFile", small_run() + Words{"--out", "/dev/null"}, "'/dev/null': cannot be created: Not a directory", 4},
    {"OutBelowAFile", small_run() + Words{"--out", "/dev/null/results"}, "'/dev/null/results': cannot be created: Not a directory", 4},
    {"OutCannotBeCreated", small_run() + Words{"--out", "/proc/results"}, "'/proc/results': cannot be created", 4},
    {"OutCannotBeWritten", small_run() + Words{"--out", "/proc"}, "'/proc': holds files that are not of dbandit", 5},
    {"OutEmpty", small_run() + Words{"--out", ""}, "'': not the name of a directory", 4},
};

void PrintTo(const BadInput& input, std::ostream* out) {
  for (const std::string& word : input.arguments) *out << word << ' ';
}

class BadInputs : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputs, GetOneLineAndTheirExitCodeAndLeaveNothingBehind) {
  const BadInput& input = GetParam();
  const Scratch scratch;
  const bool runs = !input.arguments.empty() && input.arguments.front() == "run";
  const bool has_out = std::find(input.arguments.begin(), input.arguments.end(), "--out") != input.arguments.end();
  // Before the flag under test, which may be the last word and lack its value.
  Words arguments = input.arguments;
  if (runs && !has_out) arguments.insert(arguments.begin() + 1, {"--out", "results"});

  const Outcome outcome = dbandit(arguments, {.directory = scratch.path()});

  EXPECT_EQ(outcome.exit, input.exit) << outcome.err;
  EXPECT_TRUE(outcome.err.starts_with("dbandit: ")) << outcome.err;
  EXPECT_NE(outcome.err.find(input.says), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with('\n'));
  EXPECT_LT(outcome.err.size(), 300u) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

INSTANTIATE_TEST_SUITE_P(CommandLine, BadInputs, testing::ValuesIn(kBadInputs), [](const auto& info) { return info.param.name; });

struct BadFile {
  std::string name;
  std::string text;
  std::string says;
};

constexpr std::string_view kGoodFile =
    "theta = [0.5, 0.3]\ndelay = \"geometric:5\"\ncensor = 10\nhorizon = 60\npolicies = [\"d-klucb\"]\nreplicas = 10\n";

const std::vector<BadFile> kBadFiles{
    {"UnknownKey", "horizont = 5\n", "spec.toml:7: unknown key 'horizont'; did you mean 'horizon'?"},
    {"UnknownKeyWithoutLikeness", "frobnicate = 5\n", "spec.toml:7: unknown key 'frobnicate'"},
    {"Table", "[run]\nseed = 5\n", "spec.toml:7: unknown key 'run'"},
    {"KeyTwice", "seed = 5\nseed = 6\n", "spec.toml:8: "},
    {"WrongType", "seed = \"five\"\n", "spec.toml:7: seed: 'five' is not an integer"},
    {"WrongValue", "epsilon = -1\n", "spec.toml:7: epsilon: -1 is not a number from 0"},
    {"BooleanForANumber", "gamma = true\n", "spec.toml:7: gamma: 'true'"},
    {"ListForANumber", "seed = [1, 2]\n", "spec.toml:7: seed: a list is not"},
    {"NumberForAList", "at = 10\n", "spec.toml:7: at: '10' is not a list"},
    {"NestedList", "at = [[10]]\n", "spec.toml:7: at: "},
    {"FractionForAnInteger", "seed = 1.5\n", "spec.toml:7: seed: "},
    {"NotTheName", "clamp = \"maybe\"\n", "spec.toml:7: clamp: 'maybe' is not one of: one none"},
    {"Truncated", "at = [10, 20", "spec.toml:7: "},
    {"TruncatedInAWord", "engine = \"refer", "spec.toml:7: "},
    {"NotToml", "just some words\n", "spec.toml:7: "},
    {"ForeignBytes", "θ = 1\n", "spec.toml:7: byte 0xce is not ASCII"},
    {"NulByte", std::string("seed = 1\0\n", 10), "spec.toml:7: "},
    {"LaterKey", "threads = 2\n", "spec.toml:7: unknown key 'threads'"},
};

void PrintTo(const BadFile& file, std::ostream* out) { *out << file.text; }

class BadFiles : public testing::TestWithParam<BadFile> {};

TEST_P(BadFiles, GetOneLineThatNamesFileAndLine) {
  const Scratch scratch;
  write_file(scratch / "spec.toml", std::string(kGoodFile) + GetParam().text);
  const Outcome outcome = dbandit({"run", "spec.toml", "--out", "results"}, {.directory = scratch.path()});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_FALSE(std::filesystem::exists(scratch / "results"));
}

INSTANTIATE_TEST_SUITE_P(CommandLine, BadFiles, testing::ValuesIn(kBadFiles), [](const auto& info) { return info.param.name; });

TEST(SpecFile, TheGoodOneOfTheseTestsIsGood) {
  const Scratch scratch;
  write_file(scratch / "spec.toml", kGoodFile);
  const Outcome outcome = dbandit({"run", "spec.toml"}, {.directory = scratch.path()});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
}

TEST(SpecFile, BinaryJunkIsRefusedWhateverItIs) {
  const Scratch scratch;
  std::string junk;
  std::uint32_t state = 1;
  for (int i = 0; i < 4096; ++i) junk += static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  write_file(scratch / "spec.toml", junk);
  const Outcome outcome = dbandit({"run", "spec.toml"}, {.directory = scratch.path()});
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_TRUE(outcome.err.starts_with("dbandit: spec.toml:")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

TEST(SpecFile, EveryTruncationRunsOrIsRefusedInOneLine) {
  const Scratch scratch;
  for (std::size_t length = 0; length < kGoodFile.size(); length += 3) {
    write_file(scratch / "spec.toml", kGoodFile.substr(0, length));
    const Outcome outcome = dbandit({"run", "spec.toml"}, {.directory = scratch.path()});
    if (outcome.exit == 0) continue;
    EXPECT_EQ(outcome.exit, 2) << length;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace dbandit::test
