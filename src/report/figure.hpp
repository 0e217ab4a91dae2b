#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/curves.hpp"
#include "report/gnuplot.hpp"

/// Regret against time, as a picture.
namespace dbandit::report {

/// How a figure is to look, as its user wants it.
struct FigureLook {
  enum class Time { both, linear, logarithmic };
  Time time = Time::both;
  std::vector<std::string> policies;          ///< only these, in this order; empty: all
  std::map<std::string, std::string> labels;  ///< what a policy is called in the key
  std::optional<std::string> title;
  int width = 0, height = 0;  ///< in pixels; 0: as large as what is shown needs
};

struct RegretPanel {
  std::string title;
  std::vector<StoredCurve> curves;
  std::vector<std::string> labels;  ///< of the curves
  double bound = 0;                 ///< slope per ln t that no policy of this setting beats; 0: none to draw

  /// Shades of many curves over each other show nothing.
  bool has_bands() const { return curves.size() <= 6; }
};

struct RegretFigure {
  std::string title;
  std::string quantity;  ///< what the vertical axis shows, in words
  std::string caption;
  std::vector<RegretPanel> panels;
};

/// One result, or several laid over each other. Panels part what cannot be compared or would be a crowd: the settings when both
/// are there, else the two kinds of index when each has two policies or more.
/// Throws UserError where the look names a policy that none of the results has.
RegretFigure regret_figure(std::span<const StoredCurves> results, std::string_view measure, const FigureLook& look = {});

/// Each panel twice, unless the look says which: with linear time, and with logarithmic time, in which a bound is a straight line.
Drawing regret_drawing(const RegretFigure& figure, const FigureLook& look = {});

/// A long text as several lines of at most so many bytes, broken after a comma, a semicolon or a space.
std::vector<std::string> wrapped(std::string_view text, std::size_t line);

/// The line that says what was simulated: rates, delay, window, horizon.
std::string problem_text(const sim::Spec& spec);

}  // namespace dbandit::report
