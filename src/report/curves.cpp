#include "report/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>

#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "read_csv.hpp"
#include "report/csv.hpp"
#include "report/risk.hpp"
#include "report/stored.hpp"

namespace dbandit::report {
namespace {

namespace fs = std::filesystem;

fs::path curve_file(const fs::path& given) {
  std::error_code ignored;
  const bool is_file = fs::exists(given, ignored) && !fs::is_directory(given, ignored);
  if (is_file || fs::exists(given / "curve.csv", ignored)) return is_file ? given : given / "curve.csv";
  require_result(given);
  return given / "curve.csv";
}

fs::path folder_of(const fs::path& file) { return file.has_parent_path() ? file.parent_path() : fs::path("."); }

std::vector<StoredMeasure> read_measures_of(const fs::path& file) {
  std::vector<StoredMeasure> measures;
  read_csv(file, kCurveHeading, [&](const Cells& cells, const std::string& where) {
    const double mean = csv_number(cells[3], where), low = csv_number(cells[5], where), high = csv_number(cells[6], where);
    const bool bounded = std::isfinite(low) && std::isfinite(high);  // a single replica has no interval
    entry(entry(measures, &StoredMeasure::name, cells[2]).curves, &StoredCurve::policy, cells[0])
        .mean.push_back({csv_number(cells[1], where), mean, bounded ? low : mean, bounded ? high : mean});
  });
  std::error_code ignored;
  if (const fs::path band = folder_of(file) / "band.csv"; fs::exists(band, ignored)) {
    const auto shaded = std::ranges::find(measures, kBandMeasure, &StoredMeasure::name);
    read_csv(band, kBandHeading, [&](const Cells& cells, const std::string& where) {
      if (shaded == measures.end()) return;
      entry(shaded->curves, &StoredCurve::policy, cells[0])
          .band.push_back({csv_number(cells[1], where), csv_number(cells[2], where), csv_number(cells[4], where)});
    });
  }
  if (const fs::path risk = folder_of(file) / "risk.csv"; fs::exists(risk, ignored)) {
    const auto shaded = std::ranges::find(measures, kBandMeasure, &StoredMeasure::name);
    read_csv(risk, kRiskHeading, [&](const Cells& cells, const std::string& where) {
      if (shaded == measures.end() || cells[1] != "p99") return;
      StoredCurve& curve = entry(shaded->curves, &StoredCurve::policy, cells[0]);
      const double value = csv_number(cells[2], where), low = csv_number(cells[3], where), high = csv_number(cells[4], where);
      if (curve.mean.empty()) throw UserError(fmt::format("{}: {} is not in curve.csv", where, dbandit::quoted(cells[0])));
      curve.p99 = {curve.mean.back().t, value, std::isfinite(low) ? low : value, std::isfinite(high) ? high : value};
    });
  }
  return measures;
}

}  // namespace

std::vector<StoredMeasure> read_measures(const fs::path& given) { return read_measures_of(curve_file(given)); }

StoredCurves read_curves(const fs::path& given, std::string_view measure) {
  const fs::path file = curve_file(given), folder = folder_of(file);
  StoredCurves curves;
  curves.name = folder.lexically_normal().generic_string();
  if (curves.name.size() > 1 && curves.name.ends_with('/')) curves.name.pop_back();
  std::vector<StoredMeasure> measures = read_measures_of(file);
  curves.policies = std::move(entry(measures, &StoredMeasure::name, measure).curves);
  if (curves.policies.empty()) throw UserError(fmt::format("'{}': has no rows of {}", file.string(), measure));
  std::error_code ignored;
  if (const fs::path spec = folder / "spec.toml"; fs::exists(spec, ignored)) curves.spec.emplace(sim::read_spec_file(spec.string()));
  return curves;
}

}  // namespace dbandit::report
