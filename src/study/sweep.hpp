#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/report/directory.hpp"
#include "dbandit/report/manifest.hpp"
#include "dbandit/sim/draft.hpp"
#include "dbandit/sim/result.hpp"
#include "report/columns.hpp"
#include "report/gnuplot.hpp"
#include "report/page.hpp"

/// One or two parameters varied over a grid, every cell in the same worlds.
namespace dbandit::study {

/// What may vary.
struct Knob {
  std::string_view name;
  std::string_view words;  ///< for an axis
  bool integer;
  /// Turns the knob; `best`, `gap`, `relative-gap` and `arms` make it a problem of one best arm and equal others.
  void (*turn)(sim::Settings& settings, double value);
};
std::span<const Knob> knobs();

/// One axis of a sweep.
struct Axis {
  const Knob* knob = nullptr;
  std::vector<double> values;  ///< increasing or as listed, no value twice
  std::string text;            ///< as it was given: "censor=log:10:10000:7"
};

/// "censor=10,100,1000", "mean-delay=log:10:5000:8" or "gap=lin:0.01:0.1:10". Throws UserError "--vary: …".
Axis parse_axis(std::string_view text);
/// One or two of them, of different knobs. Throws UserError.
std::vector<Axis> parse_axes(std::span<const std::string> texts);

struct Cell {
  std::vector<double> at;  ///< the value of each axis
  sim::Spec spec;
};
/// All cells, the last axis running fastest. Throws UserError that names the cell whose spec is not valid.
std::vector<Cell> cells(const sim::SpecDraft& base, std::span<const Axis> axes);

/// A finished sweep; results are in the order of the cells.
struct Sweep {
  std::vector<Axis> axes;
  std::vector<Cell> cells;
  std::vector<sim::Result> results;
};

/// Tidy: a column per axis, then policy,measure,mean,stderr,ci_low,ci_high at the horizon.
std::string sweep_csv(const Sweep& sweep);
/// A column per axis, then a,b,mean,stderr,ci_low,ci_high: final regret of a minus b in the same worlds.
std::string paired_csv(const Sweep& sweep);
/// dbandit.sweep.v1: what `dbandit sweep --json` prints; the spec is that of the first cell.
std::string sweep_json(const Sweep& sweep, const report::Manifest& manifest);
/// A spec.toml: the first cell, under the command that repeats the sweep.
std::string sweep_spec(const Sweep& sweep);
/// spec.toml, sweep.csv, paired.csv and manifest.json.
std::vector<report::File> sweep_files(const Sweep& sweep);
/// For a terminal: a row per value of the first axis.
std::string sweep_table(const Sweep& sweep, const report::Style& style);

/// Who has the least regret in a cell, by how much of it the next one is behind, and whether that is beyond chance.
struct Winner {
  std::size_t policy = 0, second = 0;
  double margin = 0;
  bool certain = false;
};
Winner winner(const sim::Result& result);

/// The folder of a sweep as a section of the report page. Throws UserError that names the file.
report::PageSection read_sweep_section(const std::filesystem::path& folder);

/// A folder as `dbandit sweep` writes it, as far as it is drawn: the moments at the horizon, every cell with the spec of the first. Throws
/// UserError that names the file.
Sweep read_sweep(const std::filesystem::path& folder);

/// Whether an axis is better shown logarithmic: its values span a wide range, or lie on a logarithmic grid.
bool is_logarithmic(const Axis& axis);

/// One axis: lines with intervals, and paired differences. Two: a map of who wins.
/// `logarithmic`: the axis of the lines; none: as its values are.
report::Drawing sweep_drawing(const Sweep& sweep, std::optional<bool> logarithmic = {});

}  // namespace dbandit::study
