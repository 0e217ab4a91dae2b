#include <gtest/gtest.h>

#include <cstdint>

#include "dbandit/core/aligned.hpp"
#include "dbandit/core/error.hpp"

namespace dbandit {
namespace {

TEST(PaddedLanes, IsTheNextWholeGroup) {
  EXPECT_EQ(padded_lanes(0), 0u);
  for (std::size_t lanes = 1; lanes < 100; ++lanes) {
    EXPECT_EQ(padded_lanes(lanes) % kLaneGroup, 0u);
    EXPECT_GE(padded_lanes(lanes), lanes);
    EXPECT_LT(padded_lanes(lanes), lanes + kLaneGroup);
  }
}

TEST(AlignedVector, StartsOnACacheLineWhateverItsSizeAndType) {
  for (std::size_t size = 1; size < 200; ++size) {
    const AlignedVector<double> doubles(size);
    const AlignedVector<std::uint8_t> bytes(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(doubles.data()) % kAlignment, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % kAlignment, 0u);
  }
}

TEST(UserError, IsAUsageErrorUnlessToldOtherwise) {
  EXPECT_EQ(UserError("line").code(), ExitCode::usage);
  EXPECT_EQ(UserError("line", ExitCode::io).code(), ExitCode::io);
  EXPECT_STREQ(UserError("line").what(), "line");
}

TEST(ExitCode, IsWhatTheHelpPromises) {
  EXPECT_EQ(static_cast<int>(ExitCode::done), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::failure), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::usage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::io), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::interrupted), 130);
}

}  // namespace
}  // namespace dbandit
