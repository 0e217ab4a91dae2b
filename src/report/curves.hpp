#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/sim/spec.hpp"

/// Results as they lie in a folder: what a figure is drawn from, so that nobody has to run again to draw again.
namespace dbandit::report {

struct StoredCurve {
  struct Mean {
    double t = 0, mean = 0, low = 0, high = 0;  ///< with its 95 % interval
  };
  struct Band {
    double t = 0, low = 0, high = 0;  ///< 10 % and 90 % of the replicas
  };
  std::string policy;
  std::vector<Mean> mean;
  std::vector<Band> band;        ///< empty without a band.csv, or for a measure that has none
  std::optional<Mean> p99 = {};  ///< of the replicas at the horizon, as in risk.csv
};

struct StoredCurves {
  std::string name;  ///< the folder, as it was given
  std::vector<StoredCurve> policies;
  std::optional<sim::Spec> spec;  ///< none without a spec.toml
};

/// All curves of one measure.
struct StoredMeasure {
  std::string name;
  std::vector<StoredCurve> curves;
};
/// Every measure of the curve.csv of a folder, or of a file of that form, in the order of the file; band.csv goes with the one
/// it is of. Throws UserError that names file and line.
std::vector<StoredMeasure> read_measures(const std::filesystem::path& folder_or_file);

/// Reads the curve.csv of a folder, or a file of that form, and what lies beside it: band.csv and spec.toml. Throws UserError
/// that names file and line.
StoredCurves read_curves(const std::filesystem::path& folder_or_file, std::string_view measure);

}  // namespace dbandit::report
