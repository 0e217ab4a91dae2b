#include "sim/coverage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace dbandit::sim {
namespace {

std::set<std::size_t> blocks_of(const Coverage& coverage) {
  std::set<std::size_t> blocks;
  for (const auto& [first, end] : coverage.intervals()) {
    for (std::size_t block = first; block < end; ++block) blocks.insert(block);
  }
  return blocks;
}

/// Neither overlaps nor touches: of equal sets there is one form.
bool is_normal(const Coverage& coverage) {
  const auto intervals = coverage.intervals();
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].first >= intervals[i].end || (i > 0 && intervals[i].first <= intervals[i - 1].end)) return false;
  }
  return true;
}

TEST(Coverage, IsTheSetOfBlocksThatWereAddedInAnyOrder) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    Coverage coverage;
    std::set<std::size_t> expected;
    for (int i = 0; i < 20; ++i) {
      const std::size_t first = random() % 60, end = first + random() % 6;
      bool is_new = true;
      for (std::size_t block = first; block < end; ++block) is_new = is_new && !expected.contains(block);
      ASSERT_EQ(coverage.add({first, end}), is_new);
      for (std::size_t block = first; is_new && block < end; ++block) expected.insert(block);
      ASSERT_TRUE(is_normal(coverage));
      ASSERT_EQ(blocks_of(coverage), expected);
      ASSERT_EQ(coverage.count(), expected.size());
    }
    std::size_t index = 0;
    for (const std::size_t block : expected) ASSERT_EQ(coverage.at(index++), block);
  }
}

TEST(Coverage, OfTwoThatShareABlockIsNotMergedAndStaysAsItWas) {
  Coverage a({0, 4}), b({6, 9});
  ASSERT_TRUE(a.merge(b));
  EXPECT_EQ(blocks_of(a), (std::set<std::size_t>{0, 1, 2, 3, 6, 7, 8}));
  const Coverage before = a;
  Coverage overlapping({4, 5});
  ASSERT_TRUE(overlapping.add({8, 12}));
  EXPECT_FALSE(a.merge(overlapping));
  EXPECT_EQ(a, before);
}

TEST(Coverage, TellsWhatIsMissing) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    Coverage coverage;
    for (int i = 0; i < 6; ++i) {
      const std::size_t first = random() % 40;
      static_cast<void>(coverage.add({first, first + random() % 5}));
    }
    const std::size_t first = random() % 40, end = first + random() % 20;
    const Coverage missing = coverage.missing({first, end});
    std::set<std::size_t> expected;
    for (std::size_t block = first; block < end; ++block) {
      if (!blocks_of(coverage).contains(block)) expected.insert(block);
    }
    ASSERT_TRUE(is_normal(missing));
    ASSERT_EQ(blocks_of(missing), expected);
    ASSERT_EQ(coverage.contains(Interval{first, end}), expected.empty());
    ASSERT_TRUE(coverage.contains(Coverage()));
    ASSERT_TRUE(coverage.contains(coverage));
  }
}

}  // namespace
}  // namespace dbandit::sim
