#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "dbandit/core/error.hpp"
#include "dbandit/sim/run.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "sim/checkpoint.hpp"
#include "sim/job.hpp"
#include "sim/sums.hpp"
#include "sim/until.hpp"

/// The parsers on inputs that nobody would write: mutations of a corpus (tests/fuzz/corpus), the same in every run. Whatever they
/// are, a parser ends with a value or with a UserError of one line.
namespace dbandit::sim {
namespace {

class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, unsigned seed) : corpus_(std::move(corpus)), random_(seed) {}

  std::string next() {
    std::string text = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(6); changes > 0; --changes) change(text);
    return text;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  void change(std::string& text) {
    const std::string& other = corpus_[below(corpus_.size())];
    const std::size_t at = below(text.size() + 1), length = std::min(1 + below(40), text.size() - at);
    const std::size_t from = below(other.size());
    switch (below(7)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, other.substr(from, 1 + below(60)));
        break;
      case 4:
        text.insert(at, text.substr(at, length));
        break;
      case 5:
        text.insert(at, std::string(1 + below(300), "[{\"#=.9e-\n"[below(10)]));
        break;
      default:
        text.replace(at, length, other.substr(from, length));
        break;
    }
  }

  std::vector<std::string> corpus_;
  std::mt19937 random_;
};

std::vector<std::string> corpus() {
  std::vector<std::string> texts;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(DBANDIT_SOURCE "/tests/fuzz/corpus/spec")) paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

TEST(Fuzz, SpecFilesEndInASpecOrInOneLine) {
  constexpr int kInputs = 30000;
  ASSERT_GE(corpus().size(), 3U);
  Mutator mutator(corpus(), 1);
  int good = 0;
  for (int i = 0; i < kInputs; ++i) {
    const std::string text = mutator.next();
    try {
      const Spec spec = Spec(read_spec_text(text, "fuzz"));
      ++good;
      ASSERT_EQ(Spec(read_spec_text(spec_text(spec), "again")), spec) << text;
    } catch (const UserError& error) {
      const std::string line = error.what();
      ASSERT_FALSE(line.empty() || line.size() > 1000 || line.find('\n') != std::string::npos) << line;
    }
  }
  EXPECT_GT(good, 100);
  std::printf("survived: %d spec files, %d of them good\n", kInputs, good);
}

TEST(Fuzz, SumsThatNobodyEncodedAreNotWhole) {
  constexpr int kInputs = 30000;
  Settings spec = *Spec(read_spec_text(corpus().front(), "corpus"));
  spec.horizon = 20;
  spec.at = {20};
  spec.replicas = 256;
  spec.until.reset();
  const RunOptions options{.threads = 1};
  Job job(std::vector<Spec>{spec}, options);
  job.work();
  Encoder encoder;
  encoder.state(job.state(0, 0));
  Mutator mutator({encoder.take()}, 2);
  int whole = 0;
  for (int i = 0; i < kInputs; ++i) {
    const std::string bytes = mutator.next();
    Decoder decoder(bytes);
    const RunState state = decoder.state(spec);
    whole += decoder.is_whole();
    // What is allocated follows from the spec, not from the bytes.
    ASSERT_LE(state.whole.policies.size(), spec.policies.size());
    for (const PolicySums& policy : state.whole.policies) ASSERT_LE(policy.regret.size(), spec.at.size());
  }
  std::printf("survived: %d encoded statistics, %d of them whole\n", kInputs, whole);
}

TEST(Fuzz, CheckpointsAreReadOrEndInOneLine) {
  constexpr int kInputs = 30000;
  Settings spec = *Spec(read_spec_text(corpus().front(), "corpus"));
  spec.until.reset();
  Mutator mutator({checkpoint_header(), checkpoint_header() + checkpoint_record(spec, {})}, 3);
  int good = 0;
  for (int i = 0; i < kInputs; ++i) {
    try {
      read_checkpoint(mutator.next(), "fuzz");
      ++good;
    } catch (const UserError& error) {
      ASSERT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
  std::printf("survived: %d checkpoints, %d of them good\n", kInputs, good);
}

TEST(Fuzz, RulesOfUntilAreReadOrNot) {
  constexpr int kInputs = 100000;
  Mutator mutator({"regret:0.5%", "regret:+-0.1", "regret:±0.1", "paired:d-klucb,d-ucb:+-0.2"}, 4);
  for (int i = 0; i < kInputs; ++i) {
    try {
      const Until until(mutator.next());
      ASSERT_GT(until.width, 0);
      ASSERT_EQ(Until(until.text()), until);
    } catch (const UserError&) {
    }
  }
  std::printf("survived: %d rules\n", kInputs);
}

}  // namespace
}  // namespace dbandit::sim
