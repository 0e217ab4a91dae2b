#include "dbandit/report/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <system_error>

#include "dbandit/core/error.hpp"
#include "dbandit/core/suggest.hpp"
#include "dbandit/report/csv.hpp"
#include "dbandit/sim/spec_file.hpp"

namespace dbandit::report {
namespace {

namespace fs = std::filesystem;

using Cells = std::vector<std::string_view>;

Cells split(std::string_view line) {
  Cells cells;
  for (std::size_t from = 0; from <= line.size();) {
    const std::size_t comma = std::min(line.find(',', from), line.size());
    cells.push_back(line.substr(from, comma - from));
    from = comma + 1;
  }
  return cells;
}

/// Calls `row` for every line below the heading, which must be the one given.
void read_csv(const fs::path& file, std::string_view heading, const std::function<void(const Cells&, const std::string& where)>& row) {
  std::error_code ignored;
  std::ifstream text(file);
  if (!text || !fs::is_regular_file(file, ignored)) throw UserError(fmt::format("'{}': cannot be read", file.string()));
  const std::size_t columns = split(heading).size();
  std::string line;
  for (std::size_t number = 1; std::getline(text, line); ++number) {
    const std::string where = fmt::format("{}:{}", file.string(), number);
    if (number == 1 && line != heading)
      throw UserError(fmt::format("{}: {} is not the heading '{}'", where, dbandit::quoted(line), heading));
    if (number == 1) continue;
    const Cells cells = split(line);
    if (cells.size() != columns) throw UserError(fmt::format("{}: {} is not a row of {} cells", where, dbandit::quoted(line), columns));
    row(cells, where);
  }
}

double number(std::string_view cell, const std::string& where) {
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc() || end != cell.data() + cell.size())
    throw UserError(fmt::format("{}: {} is not a number", where, dbandit::quoted(cell)));
  return value;
}

StoredCurve& curve_of(StoredCurves& curves, std::string_view policy) {
  const auto found = std::ranges::find(curves.policies, policy, &StoredCurve::policy);
  if (found != curves.policies.end()) return *found;
  curves.policies.push_back({.policy = std::string(policy), .mean = {}, .band = {}});
  return curves.policies.back();
}

}  // namespace

StoredCurves read_curves(const fs::path& given, std::string_view measure) {
  std::error_code ignored;
  const fs::path file = fs::is_directory(given, ignored) ? given / "curve.csv" : given;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  StoredCurves curves;
  curves.name = folder.lexically_normal().generic_string();
  if (curves.name.size() > 1 && curves.name.ends_with('/')) curves.name.pop_back();
  read_csv(file, kCurveHeading, [&](const Cells& cells, const std::string& where) {
    if (cells[2] != measure) return;
    const double mean = number(cells[3], where), low = number(cells[5], where), high = number(cells[6], where);
    const bool bounded = std::isfinite(low) && std::isfinite(high);  // a single replica has no interval
    curve_of(curves, cells[0]).mean.push_back({number(cells[1], where), mean, bounded ? low : mean, bounded ? high : mean});
  });
  if (curves.policies.empty()) throw UserError(fmt::format("'{}': has no rows of {}", file.string(), measure));
  if (const fs::path band = folder / "band.csv"; measure == kBandMeasure && fs::exists(band, ignored)) {
    read_csv(band, kBandHeading, [&](const Cells& cells, const std::string& where) {
      curve_of(curves, cells[0]).band.push_back({number(cells[1], where), number(cells[2], where), number(cells[4], where)});
    });
  }
  if (const fs::path spec = folder / "spec.toml"; fs::exists(spec, ignored)) curves.spec = sim::finish(sim::read_spec_file(spec.string()));
  return curves;
}

}  // namespace dbandit::report
