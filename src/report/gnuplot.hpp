#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Figures are gnuplot scripts, drawn by the program of that name when the machine has it.
namespace dbandit::report {

/// A script that neither chooses a terminal nor an output, and the size of the page in pixels.
struct Drawing {
  std::string script;
  int width = 0;
  int height = 0;
};

/// Text that gnuplot shows and never interprets: in single quotes, with ’ for those inside and '?' for control bytes.
std::string plot_text(std::string_view text);
/// $name: rows of numbers; what is not finite is a gap.
std::string plot_data(std::string_view name, const std::vector<std::vector<double>>& rows);

/// What a figure can be drawn as, by the extension of its file: svg, png and pdf.
std::span<const std::string_view> figure_extensions();

/// Draws folder/stem in every form, or in those given, each whole or not at all. Returns why not, as one line that says what to do: a
/// figure that cannot be drawn is no reason to lose the numbers.
std::optional<std::string> draw(const Drawing& drawing, const std::filesystem::path& folder, const std::string& stem,
                                std::span<const std::string_view> extensions = figure_extensions());

}  // namespace dbandit::report
