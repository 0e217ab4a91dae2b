#include "core/suggest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace dbandit {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("theta", "theta"), 0U);
  EXPECT_EQ(edit_distance("theta", ""), 5U);
  EXPECT_EQ(edit_distance("", "theta"), 5U);
  EXPECT_EQ(edit_distance("thetas", "theta"), 1U);
  EXPECT_EQ(edit_distance("thta", "theta"), 1U);
  EXPECT_EQ(edit_distance("thota", "theta"), 1U);
  EXPECT_EQ(edit_distance("tehta", "theta"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("d-klubc", "d-klucb"), 1U);
}

constexpr std::array<std::string_view, 4> kWords{"theta", "delay", "ud-klucb", "d-klucb"};

TEST(Suggestion, IsTheNearestWordAndOnlyIfItIsNear) {
  EXPECT_EQ(did_you_mean("thetas", kWords), "; did you mean 'theta'?");
  EXPECT_EQ(did_you_mean("d-klubc", kWords), "; did you mean 'd-klucb'?");
  EXPECT_EQ(did_you_mean("ud-kluc", kWords), "; did you mean 'ud-klucb'?");
  EXPECT_EQ(did_you_mean("gamma", kWords), "");
  EXPECT_EQ(did_you_mean("", kWords), "");
  EXPECT_EQ(did_you_mean(std::string(100000, 't'), kWords), "");
}

TEST(Quoted, InputIsShownOnOneLineWhateverItHolds) {
  EXPECT_EQ(dbandit::quoted("abc"), "'abc'");
  EXPECT_EQ(dbandit::quoted(""), "''");
  EXPECT_EQ(dbandit::quoted("a\nb\x1b[31m\xff"), "'a?b?[31m?'");
  EXPECT_EQ(dbandit::quoted("wäit 日本.csv"), "'wäit 日本.csv'");
  EXPECT_EQ(dbandit::quoted("\u009b31m \u202e \u2028 \xc3"), "'?31m ? ? ?'") << "a control, a turn of the line, its end, half a character";
  EXPECT_EQ(dbandit::quoted(std::string(59, 'x') + "äx"), "'" + std::string(59, 'x') + "ä...'") << "not cut within a character";
  EXPECT_EQ(dbandit::quoted(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
  EXPECT_EQ(dbandit::quoted(std::string(61, 'x')), "'" + std::string(60, 'x') + "...'");
}

}  // namespace
}  // namespace dbandit
