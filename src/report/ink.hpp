#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// A policy has the same colour and mark in every figure and page.
namespace dbandit::report {

/// Colours that the colour-blind can tell apart (Okabe and Ito's, violet for their yellow), and a mark for each, so that no line depends on
/// its colour.
struct Ink {
  std::string_view color;
  int mark = 0;           ///< gnuplot's pointtype
  std::string_view dash;  ///< gnuplot's dashtype: solid, unless an earlier line of the figure has the colour
};

/// The ink of a place; places eight apart have the colour in common, 64 apart all.
Ink ink(std::size_t place);
/// Its place among the inks: that of the policy in the catalogue, whatever its settings; one from outside has a place by its name.
std::size_t ink_place(std::string_view policy);
/// Of the lines of a figure, by the ids of their policies: no two look the same.
std::vector<Ink> inks(std::span<const std::string> policies);

}  // namespace dbandit::report
