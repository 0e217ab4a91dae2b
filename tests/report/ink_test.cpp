#include "report/ink.hpp"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <utility>

#include "dbandit/policy/catalogue.hpp"

namespace dbandit::report {
namespace {

std::vector<std::string> all_policies() {
  std::vector<std::string> names;
  for (const policy::Entry& entry : policy::catalogue()) names.emplace_back(entry.id);
  return names;
}

TEST(Inks, OfAllPoliciesInOneFigureLookDifferent) {
  std::set<std::tuple<std::string_view, int, std::string_view>> seen;
  for (const Ink& ink : inks(all_policies())) EXPECT_TRUE(seen.emplace(ink.color, ink.mark, ink.dash).second);
}

/// In a figure of its own each is solid: the mark tells those of one colour apart from one figure to the next.
TEST(Inks, OfOneColourHaveDifferentMarks) {
  std::set<std::pair<std::string_view, int>> seen;
  for (const std::string& policy : all_policies()) {
    const Ink look = ink(ink_place(policy));
    EXPECT_TRUE(seen.emplace(look.color, look.mark).second) << policy;
  }
}

TEST(Inks, OfAPolicyAreTheSameInEveryFigure) {
  const std::vector<std::string> all = all_policies();
  const std::vector<Ink> together = inks(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<Ink> alone = inks({&all[i], 1});
    EXPECT_EQ(alone[0].color, together[i].color);
    EXPECT_EQ(alone[0].mark, together[i].mark);
    EXPECT_EQ(alone[0].dash, "solid");
  }
}

TEST(Inks, OfAPolicyWithSettingsOfItsOwnDifferByTheDash) {
  const std::vector<std::string> two{"d-klucb", "d-klucb(epsilon=0.2)"};
  const std::vector<Ink> look = inks(two);
  EXPECT_EQ(look[0].color, look[1].color);
  EXPECT_NE(look[0].dash, look[1].dash);
}

TEST(Inks, OfManySettingsOfOnePolicyAmongAllOthersLookDifferent) {
  std::vector<std::string> all = all_policies();
  for (int i = 0; i < 12; ++i) all.push_back("d-klucb(epsilon=" + std::to_string(i) + ")");
  std::set<std::tuple<std::string_view, int, std::string_view>> seen;
  for (const Ink& ink : inks(all)) EXPECT_TRUE(seen.emplace(ink.color, ink.mark, ink.dash).second);
}

/// The page reads places as JavaScript's numbers, which are exact up to 2^53.
TEST(Inks, APolicyFromOutsideHasAPlaceThatAPageCanHold) { EXPECT_LT(ink_place("Patient(share=0.1)"), 64U); }

}  // namespace
}  // namespace dbandit::report
