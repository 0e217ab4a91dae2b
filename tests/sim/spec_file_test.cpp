#include "dbandit/sim/spec_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "dbandit/core/error.hpp"
#include "sim/names.hpp"

namespace dbandit::sim {
namespace {

const std::string kGood = R"(# a comment
theta = [0.1, 0.05, 0.03]
delay = "geometric:500"
censor = 1000
horizon = 10000
policies = ["d-klucb", "ud-ucb"]
)";

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(Spec(read_spec_text(text, "spec.toml")));
    return {};
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
}

Settings extreme_spec() {
  Settings spec;
  spec.theta = {0.1, 1.0 / 3.0, 1, 0, 5e-324};
  spec.delay = model::Geometric{1e-7};
  spec.censor = 77;
  spec.horizon = 1000000000;
  spec.policies = {"d-klucb", "ud-ucb"};
  spec.replicas = 10000000000;
  spec.seed = 9223372036854775807;
  spec.epsilon = 0.1 + 0.2;
  spec.gamma = 2.0 / 3.0;
  spec.prior_shape = 1.0 / 3.0;
  spec.prior_rate = 1e-3;
  return spec;
}

TEST(SpecFile, ASpecReadsBackToAnEqualSpec) {
  Settings spec = extreme_spec();
  EXPECT_EQ(Spec(read_spec_text(spec_text(spec), "a")), spec);
  spec.censor.reset();
  spec.policies = {"uniform"};
  spec.clamp = model::Clamp::none;
  spec.ties = model::Ties::lowest;
  spec.start = model::StartOrder::fixed;
  spec.radius = model::Radius::paper;
  spec.at = {5, 1000000000};
  spec.engine = Engine::reference;
  spec.exposure = model::Exposure::history;
  spec.solver = model::Solver::bisection;
  EXPECT_EQ(Spec(read_spec_text(spec_text(spec), "a")), spec);
}

TEST(SpecFile, RandomSpecsReadBackToEqualSpecs) {
  std::mt19937_64 random(1);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  for (int trial = 0; trial < 500; ++trial) {
    Settings spec = extreme_spec();
    spec.theta.clear();
    for (std::int64_t arm = 0; arm <= below(20); ++arm) spec.theta.push_back(static_cast<double>(random() >> 11) * 0x1p-53);
    spec.delay = model::Geometric{static_cast<double>(random() >> 11) * 0x1p-33};
    spec.censor = 1 + below(1000000000);
    spec.horizon = 100 + below(100000);
    spec.seed = random() >> 1;
    spec.epsilon = static_cast<double>(random() >> 11) * 0x1p-40;
    spec.at = {1 + below(100), spec.horizon};
    spec.solver = kNames<model::Solver>[random() % 3].value;
    EXPECT_EQ(Spec(read_spec_text(spec_text(spec), "a")), spec);
  }
}

TEST(SpecFile, IsWrittenWithEveryKeyAndShortestNumbers) {
  Settings spec = read_spec_text(kGood, "a").settings;
  spec.at = {100, 10000};
  EXPECT_EQ(spec_text(spec), R"(# dbandit run SPEC.toml repeats this run.
theta = [0.1, 0.05, 0.03]
delay = "geometric:500"
assume-delay = "world"
censor = 1000
horizon = 10000
policies = ["d-klucb", "ud-ucb"]
replicas = 1000
until = "none"
seed = 1
epsilon = 0
clamp = "one"
ties = "random"
start = "permuted"
radius = "covering"
gamma = 1
prior-shape = 1
prior-rate = 1
at = [100, 10000]
engine = "simd"
exposure = "recursion"
solver = "direct"
)");
}

TEST(SpecFile, WrongContentIsRefusedInOneLineWithItsPlace) {
  struct Row {
    std::string text, line;
  };
  const std::string lists = " is not a list of 1 to 65535 numbers from 0 to 1";
  const std::string rates = " does not belong in a list of 1 to 65535 numbers from 0 to 1";
  const Row rows[] = {
      {"delay = \"geometric:5\"\n\nthetas = [0.1]\n", "spec.toml:3: unknown key 'thetas'; did you mean 'theta'?"},
      {"threads = 2\n", "spec.toml:1: unknown key 'threads'"},
      {"[run]\ntheta = [0.1]\n", "spec.toml:1: unknown key 'run'"},
      {"zeta = 1\nalpha = 2\n", "spec.toml:1: unknown key 'zeta'"},
      {"\"the\\nta\" = 1\n", "spec.toml:1: unknown key 'the?ta'; did you mean 'theta'?"},
      {"theta = 0.1\n", "spec.toml:1: theta: '0.1'" + lists},
      {"theta = \"0.1,0.2\"\n", "spec.toml:1: theta: '0.1,0.2'" + lists},
      {"theta = []\n", "spec.toml:1: theta: an empty list" + lists},
      {"theta = [0.1, \"0.2\"]\n", "spec.toml:1: theta: '0.2'" + rates},
      {"theta = [0.1, true]\n", "spec.toml:1: theta: 'true'" + rates},
      {"theta = [[0.1], 0.2]\n", "spec.toml:1: theta: '[...]'" + rates},
      {"theta.x = 0.1\n", "spec.toml:1: theta: '{...}'" + lists},
      {"delay = 500\n", "spec.toml:1: delay: '500' is not a delay law, as in geometric:500, or one for each arm"},
      {"delay = \"geometric:-1\"\n",
       "spec.toml:1: delay: 'geometric:-1': the mean is out of range; allowed: geometric:MEAN with 0 <= MEAN <= 1e7, as in geometric:500"},
      {"censor = \"some\"\n", "spec.toml:1: censor: 'some' is not an integer from 1 to 1000000000, or none"},
      {"censor = \"1000\"\n", "spec.toml:1: censor: '1000' is not an integer from 1 to 1000000000, or none"},
      {"censor = [1]\n", "spec.toml:1: censor: a list is not an integer from 1 to 1000000000, or none"},
      {"horizon = inf\n", "spec.toml:1: horizon: 'inf' is not an integer from the number of arms to 1000000000"},
      {"horizon = 10.5\n", "spec.toml:1: horizon: '10.5' is not an integer from the number of arms to 1000000000"},
      {"horizon = 2020-01-01\n", "spec.toml:1: horizon: 'a date' is not an integer from the number of arms to 1000000000"},
      {"policies = \"d-ucb\"\n", "spec.toml:1: policies: 'd-ucb' is not a list of policies ('dbandit list policies')"},
      {"policies = [1]\n", "spec.toml:1: policies: '1' does not belong in a list of policies ('dbandit list policies')"},
      {"seed = -1\n", "spec.toml:1: seed: '-1' is not an integer from 0 to 9223372036854775807"},
      {"epsilon = \"0\"\n", "spec.toml:1: epsilon: '0' is not a number from 0 to 100000"},
      {"clamp = 1\n", "spec.toml:1: clamp: '1' is not one of: one none"},
      {"engine = \"fast\"\n", "spec.toml:1: engine: 'fast' is not one of: auto simd leap rounds reference"},
      {"at = [1, 2.5]\n", "spec.toml:1: at: '2.5' does not belong in a list of 1 to 10000 increasing rounds from 1 to the horizon"},
      {"theta = [0.1]\n# caf\xc3\n", "spec.toml:2: byte 0xc3 is not UTF-8"},
      {"\x80 = 1\n", "spec.toml:1: byte 0x80 is not UTF-8"},
      {"\n\xc3\xa9 = 1\n", "spec.toml:2: byte 0xc3 is not ASCII; allowed is UTF-8 in strings and comments only"},
      {"delay = '\xc3\xa9'\n", "spec.toml:1: byte 0xc3 is not ASCII; allowed is UTF-8 in a string of double quotes"},
      {"theta = [0.1]\n",
       "--delay: is missing; give a delay law, as in geometric:500, or one for each arm; missing too: --horizon, --policies"},
      {kGood + "gamma = 0.1\n", "spec.toml:7: gamma: 0.1 is not a number from 0.5 to 1"},
      {kGood + "epsilon = nan\n", "spec.toml:7: epsilon: nan is not a number from 0 to 100000"},
      {std::string((1 << 20) + 1, '\n'), "spec.toml: longer than the 1048576 bytes that are allowed"},
  };
  for (const Row& row : rows) EXPECT_EQ(refusal(row.text), row.line);
}

TEST(SpecFile, MayHaveUtf8InCommentsAndStrings) {
  const std::string plain = kGood, decorated = "# caf\xc3\xa9 \xe2\x88\x9e \xf0\x9f\x8e\xb0 \" ' # \n" + kGood + "# \xce\xb8\n";
  EXPECT_EQ(read_spec_text(decorated, "s").settings, read_spec_text(plain, "s").settings);
  // The string reaches its reader as it was written, after a # and a quote that end nothing.
  EXPECT_EQ(refusal("seed = 1 # \"\ndelay = \"\xc3\xa9#\\\"\"\n").substr(0, 21), "spec.toml:2: delay: '");
}

TEST(SpecFile, MayWriteAWholeNumberWithAnExponent) {
  EXPECT_EQ(read_spec_text("horizon = 1e4\n", "s").settings.horizon, 10'000);
  EXPECT_EQ(read_spec_text("at = [1e1, 100.0]\n", "s").settings.at, (std::vector<std::int64_t>{10, 100}));
}

TEST(SpecFile, FindsTheFileOfAnEmpiricalLawBesideItself) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / ("dbandit-beside-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "delays.csv") << "3,10\n5,20\n";
  std::ofstream(folder / "spec.toml") << "delay = \"empirical:delays.csv,geometric:5,empirical:1*7\"\n";
  const Settings read = read_spec_file((folder / "spec.toml").string()).settings;
  std::filesystem::remove_all(folder);
  ASSERT_EQ(read.delay.laws.size(), 3u);
  EXPECT_EQ(model::longest_delay(read.delay[0]), 5);
  EXPECT_EQ(model::longest_delay(read.delay[2]), 7);
}

TEST(SpecFile, BrokenTomlIsRefusedWithItsLine) {
  for (const std::string tail : {"theta = [0.1", "seed = ", "seed 1", "seed = 1 2", "[##", "seed = 99999999999999999999", "x = \"a\nb\"",
                                 "a.b.c..d = 1", "\x01", "seed = 1\nseed = 2"}) {
    EXPECT_TRUE(refusal(kGood + "replicas = 5\n" + tail).starts_with("spec.toml:")) << tail << ": " << refusal(kGood + tail);
  }
  EXPECT_NE(refusal("replicas = 5\n" + std::string(100000, '[')), "");
  EXPECT_NE(refusal("theta = " + std::string(100000, '[')), "");
}

TEST(SpecFile, MutatedFilesAreReadOrRefusedNeverACrash) {
  const std::string whole = spec_text(extreme_spec());
  std::mt19937_64 random(2);
  const std::string bytes = "\n\"'[]{}=.,#\\0129eE+-_ tn\t\r\x7f\xff";
  std::size_t refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text = whole.substr(0, whole.find("at =")) + whole.substr(whole.find("engine ="));
    for (std::uint64_t edits = 1 + random() % 4; edits > 0; --edits) {
      const std::size_t at = random() % text.size();
      const char byte = bytes[random() % bytes.size()];
      if (random() % 3 == 0) {
        text.erase(at, 1 + random() % 10);
      } else if (random() % 2 == 0) {
        text.insert(at, 1, byte);
      } else {
        text[at] = byte;
      }
    }
    refused += !refusal(text).empty();
  }
  EXPECT_GT(refused, 1000U);
  EXPECT_LT(refused, 3000U);
}

TEST(SpecFile, IsReadFromDiskAndNamedInMessages) {
  const auto folder = std::filesystem::temp_directory_path() / ("dbandit_spec_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = folder / "spec.toml";
  std::ofstream(path) << kGood;
  EXPECT_EQ(Spec(read_spec_file(path)), Spec(read_spec_text(kGood, "a")));

  const auto line = [](const std::string& name) {
    try {
      read_spec_file(name);
      return std::string();
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      return std::string(error.what());
    }
  };
  std::ofstream(path) << "horizons = 1\n";
  EXPECT_EQ(line(path), path + ":1: unknown key 'horizons'; did you mean 'horizon'?");
  std::ofstream(path) << std::string((1 << 20) + 1, '#');
  EXPECT_EQ(line(path),
            path + ": is longer than the 1048576 bytes that are allowed; allowed is the path of a TOML file, or - for standard input");
  EXPECT_EQ(line(folder), folder.string() + ": is a folder; allowed is the path of a TOML file, or - for standard input");
  EXPECT_EQ(line(folder / "none.toml"),
            (folder / "none.toml").string() +
                ": cannot be read: No such file or directory; allowed is the path of a TOML file, or - for standard input");
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dbandit::sim
