#include "report/ink.hpp"

#include <algorithm>
#include <array>

#include "dbandit/policy/catalogue.hpp"

namespace dbandit::report {
namespace {

/// Ordered so that neighbours differ in grey as well.
constexpr std::array<std::string_view, 8> kColors{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#a03c00", "#56b4e9", "#6a3d9a", "#444444"};
constexpr std::array<int, 8> kMarks{7, 9, 5, 11, 13, 6, 8, 4};
constexpr std::array<std::string_view, 6> kDashes{"solid", "(12,5)", "(3,4)", "(14,4,3,4)", "(6,6)", "(14,4,3,4,3,4)"};

}  // namespace

Ink ink(std::size_t place) {
  return {kColors[place % kColors.size()], kMarks[(place + place / kColors.size()) % kMarks.size()], kDashes.front()};
}

std::size_t ink_place(std::string_view policy) {
  const std::string_view id = policy.substr(0, policy.find('('));  // d-klucb(epsilon=0.2)
  const auto all = policy::catalogue();
  const auto known = std::ranges::find(all, id, &policy::Entry::id);
  if (known != all.end()) return static_cast<std::size_t>(known - all.begin());
  std::size_t place = all.size();
  for (const char c : policy) place = place * 31 + static_cast<unsigned char>(c);
  return place % (kColors.size() * kMarks.size());  // a number that a page can hold
}

std::vector<Ink> inks(std::span<const std::string> policies) {
  std::vector<Ink> inks;
  for (const std::string& policy : policies) {
    const std::size_t place = ink_place(policy);
    Ink own = ink(place);
    const auto earlier = static_cast<std::size_t>(std::ranges::count(inks, own.color, &Ink::color));
    // The dash says how many of the colour came before; where that look is taken, the next one that is free.
    for (std::size_t i = 0; i < kDashes.size() * kMarks.size(); ++i) {
      own.mark = ink(place + i / kDashes.size() * kColors.size()).mark;
      own.dash = kDashes[(earlier + i) % kDashes.size()];
      const auto is_taken = [&](const Ink& other) { return other.color == own.color && other.mark == own.mark && other.dash == own.dash; };
      if (std::ranges::none_of(inks, is_taken)) break;
    }
    inks.push_back(own);
  }
  return inks;
}

}  // namespace dbandit::report
