#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/curves.hpp"
#include "report/gnuplot.hpp"

/// Regret against time, as a picture.
namespace dbandit::report {

struct RegretPanel {
  std::string title;
  std::vector<StoredCurve> curves;  ///< `policy` is the label
  double bound = 0;                 ///< slope per ln t that no policy of this setting beats; 0: none to draw
};

struct RegretFigure {
  std::string title;
  std::string quantity;  ///< what the vertical axis shows, in words
  std::string caption;
  std::vector<RegretPanel> panels;
};

/// One result, or several laid over each other. Panels part what cannot be compared or would be a crowd: the settings when both
/// are there, else the two kinds of index when each has two policies or more.
RegretFigure regret_figure(std::span<const StoredCurves> results, std::string_view measure);

/// Each panel twice: with linear time, and with logarithmic time, in which a bound is a straight line.
Drawing regret_drawing(const RegretFigure& figure);

/// The line that says what was simulated: rates, delay, window, horizon.
std::string problem_text(const sim::Spec& spec);

}  // namespace dbandit::report
