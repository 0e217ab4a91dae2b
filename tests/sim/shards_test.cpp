#include <gtest/gtest.h>

#include "sim/checkpoints.hpp"

/// Parts of runs, stored apart and merged.
namespace dbandit::sim {
namespace {

/// Checkpoints of parts of runs, in folders of their own.
class Shards : public Folder {
 protected:
  std::filesystem::path store(const std::string& name, const std::vector<std::pair<Spec, std::vector<std::size_t>>>& runs) const {
    std::string content = checkpoint_header();
    for (const auto& [spec, blocks] : runs) content += record(spec, blocks);
    std::filesystem::create_directory(path / name);
    write(name + "/checkpoint", content);
    return path / name;
  }
  static std::string refusal(const std::vector<std::filesystem::path>& folders) {
    try {
      static_cast<void>(merge_checkpoints(folders));
      return "";
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), ExitCode::mismatch);
      return error.what();
    }
  }
};

TEST_F(Shards, MergedInAnyOrderAreTheRun) {
  const auto a = store("a", {{small(), {2}}}), b = store("b", {{small(), {0}}}), c = store("c", {{small(), {1}}});
  for (const auto& folders : {std::vector{a, b, c}, std::vector{c, a, b}, std::vector{b, c, a}}) {
    const std::vector<StoredRun> merged = merge_checkpoints(folders);
    ASSERT_EQ(merged.size(), 1U);
    EXPECT_EQ(bytes(results_of(merged, nullptr).front().stats), bytes(run(small(), {.threads = 1}).stats));
  }
}

TEST_F(Shards, OfAStudyAreMergedRunByRun) {
  Settings other = small();
  other.seed = 9;
  const auto a = store("a", {{small(), {0, 1}}, {other, {2}}}), b = store("b", {{small(), {2}}, {other, {1, 0}}});
  const std::vector<StoredRun> merged = merge_checkpoints(std::vector{a, b});
  ASSERT_EQ(merged.size(), 2U);
  EXPECT_EQ(bytes(results_of(merged, nullptr)[1].stats), bytes(run(other, {.threads = 1}).stats));
}

TEST_F(Shards, SayWhatIsMissingOrThereTwice) {
  const auto a = store("a", {{small(), {0}}}), b = store("b", {{small(), {1, 2}}}), c = store("c", {{small(), {2}}});
  EXPECT_EQ(refusal({a, b}), "");
  EXPECT_EQ(refusal({a, c}), "'" + a.string() + "': replicas 129 to 256 of 300 are in none of the shards");
  EXPECT_EQ(refusal({a, b, c}), "'" + c.string() + "': has blocks that another shard has too");
  Settings other = small();
  other.seed = 9;
  EXPECT_EQ(refusal({a, store("d", {{other, {1, 2}}})}), "'" + (path / "d").string() + "': of another run than the first: seed = 1, not 9");
}

TEST_F(Shards, AreNamedByTwoNumbers) {
  EXPECT_EQ(parse_shard("2/5"), (Shard{2, 5}));
  EXPECT_EQ(parse_shard("1000000/1000000"), (Shard{1000000, 1000000}));
  for (const char* text : {"", "/", "1/", "/1", "0/5", "6/5", "1/1000001", "-1/5", "1/5x", "1 /5", "99999999999999999999/5"}) {
    EXPECT_EQ(parse_shard(text), std::nullopt) << text;
  }
}

TEST_F(Shards, CoverEveryBlockOnce) {
  for (const std::int64_t replicas : {1, 300, 128 * 1000 + 1}) {
    Settings spec = small();
    spec.replicas = replicas;
    const Plan blocks = plan(spec);
    for (const std::size_t count : {1, 2, 3, 7, 1001}) {
      std::size_t next = 0;
      for (std::size_t index = 1; index <= count; ++index) {
        EXPECT_EQ(blocks.part({index, count}).first, next);
        next = blocks.part({index, count}).end;
      }
      EXPECT_EQ(next, blocks.blocks);
    }
  }
}

}  // namespace
}  // namespace dbandit::sim
