#pragma once

#include <span>
#include <string>
#include <vector>

#include "study/league.hpp"

/// What the pages of the league share.
namespace dbandit::study {

inline constexpr Division kDivisions[] = {Division::window, Division::no_window};

/// "1.04": a ratio as far as it matters; "–" where there is none.
std::string times(double ratio);
/// "1.04 [1.01, 1.08]".
std::string times(const Interval& ratio);
/// "2" or "2–5".
std::string rank_words(std::size_t first, std::size_t last);
void markdown_table(std::string& text, const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows);

/// The parts of README.md below the standings.
void write_problem_winners(std::string& text, std::span<const Unit> units);
void write_priors(std::string& text, std::span<const Unit> units);
void write_beliefs(std::string& text, std::span<const sim::Result> results, std::span<const Match> matches);
void write_tuned(std::string& text, std::span<const sim::Result> results, std::span<const Match> matches);
void write_radii(std::string& text, std::span<const Unit> units, std::span<const Match> matches);

}  // namespace dbandit::study
