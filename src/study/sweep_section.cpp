#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "report/read_csv.hpp"
#include "sim/sums.hpp"
#include "study/sweep.hpp"

namespace dbandit::study {
namespace {

namespace fs = std::filesystem;
using report::Cells;
using report::entry;
using report::PageSection;

/// The axes that the heading of a sweep's table begins with.
std::vector<Axis> heading_axes(std::string_view line, std::string_view rest, const std::string& where) {
  std::vector<Axis> axes;
  for (const std::string_view name : report::split_cells(line)) {
    const auto knob = std::ranges::find(knobs(), name, &Knob::name);
    if (knob == knobs().end()) break;
    axes.push_back({.knob = &*knob, .values = {}, .text = {}});
  }
  std::string expected;
  for (const Axis& axis : axes) expected += std::string(axis.knob->name) + ',';
  if (axes.empty() || axes.size() > 2 || line != expected + std::string(rest))
    throw UserError(fmt::format("{}: {} is not the heading of a sweep; allowed is a folder as 'dbandit sweep' writes it", where,
                                dbandit::quoted(line)));
  return axes;
}

void note(Axis& axis, double value, const std::string& where) {
  if (!std::isfinite(value)) throw UserError(where + ": is not a row of a sweep");
  if (std::ranges::find(axis.values, value) == axis.values.end()) axis.values.push_back(value);
}

std::string place(std::span<const Axis> axes, const Cells& cells) {
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i) text += fmt::format("{}{} = {}", i > 0 ? ", " : "", axes[i].knob->name, cells[i]);
  return text;
}

/// The fact of the problem that a knob turns: one value of it would be that of the first cell only.
std::string_view turned_fact(std::string_view knob) {
  if (knob == "censor") return "window";
  if (knob == "mean-delay") return "delay";
  if (knob == "horizon" || knob == "epsilon" || knob == "gamma") return knob;
  return "rates";
}

/// The moments whose mean and standard error a row of a table has.
stats::Moments stored_moments(double replicas, const Cells& cells, std::size_t mean, const std::string& where) {
  const double error = report::csv_number(cells[mean + 1], where);
  return {replicas, report::csv_number(cells[mean], where), error * error * replicas};
}

}  // namespace

Sweep read_sweep(const fs::path& folder) {
  const fs::path spec_file = folder / "spec.toml";
  const sim::Spec spec(sim::read_spec_text(report::read_text(spec_file), spec_file.string()));
  const std::vector<std::string> policies = spec.ids();
  const auto replicas = static_cast<double>(spec->replicas);
  Sweep sweep;
  const auto policy_at = [&](std::string_view id, const std::string& where) {
    const auto found = std::ranges::find(policies, id);
    if (found == policies.end()) throw UserError(fmt::format("{}: {} is not in spec.toml", where, dbandit::quoted(id)));
    return static_cast<std::size_t>(found - policies.begin());
  };
  const auto cell_of = [&](const Cells& cells, const std::string& where) -> sim::Result& {
    std::vector<double> at;
    for (std::size_t i = 0; i < sweep.axes.size(); ++i) at.push_back(report::csv_number(cells[i], where));
    auto found = std::ranges::find(sweep.cells, at, &Cell::at);
    if (found == sweep.cells.end()) {
      for (std::size_t i = 0; i < at.size(); ++i) note(sweep.axes[i], at[i], where);
      sweep.cells.push_back({.at = at, .spec = spec});
      sim::Result& added = sweep.results.emplace_back(sim::Result{.spec = spec});
      added.stats.policies.resize(policies.size());
      added.stats.paired.resize(policies.size() * (policies.size() - 1) / 2);
      return added;
    }
    return sweep.results[static_cast<std::size_t>(found - sweep.cells.begin())];
  };
  const auto heading = [&](std::string_view line, const std::string& where) {
    sweep.axes = heading_axes(line, "policy,measure,mean,stderr,ci_low,ci_high", where);
  };
  report::read_csv(folder / "sweep.csv", heading, [&](const Cells& cells, const std::string& where) {
    const std::size_t n = sweep.axes.size();
    sim::Result& result = cell_of(cells, where);
    const auto* measure = std::ranges::find(sim::kMeasures, cells[n + 1], &sim::Measure::name);
    if (measure == sim::kMeasures.end()) throw UserError(fmt::format("{}: {} is not a measure", where, dbandit::quoted(cells[n + 1])));
    (result.stats.policies[policy_at(cells[n], where)].*(measure->curve)).assign(1, stored_moments(replicas, cells, n + 2, where));
  });
  std::size_t grid = 1;
  for (const Axis& axis : sweep.axes) grid *= axis.values.size();
  const bool is_whole = std::ranges::all_of(sweep.results, [](const sim::Result& result) {
    return std::ranges::all_of(result.stats.policies, [](const sim::PolicyStats& one) {
      return std::ranges::all_of(sim::kMeasures, [&](const sim::Measure& measure) { return (one.*measure.curve).size() == 1; });
    });
  });
  if (sweep.cells.empty() || sweep.cells.size() != grid || !is_whole) {
    throw UserError(fmt::format("'{}': does not have every cell of its grid, policy and measure", (folder / "sweep.csv").string()));
  }
  const auto paired_heading = [&](std::string_view line, const std::string& where) {
    heading_axes(line, "a,b,mean,stderr,ci_low,ci_high", where);
  };
  report::read_csv(folder / "paired.csv", paired_heading, [&](const Cells& cells, const std::string& where) {
    const std::size_t n = sweep.axes.size(), a = policy_at(cells[n], where), b = policy_at(cells[n + 1], where);
    if (a >= b) throw UserError(fmt::format("{}: is not a pair in the order of spec.toml", where));
    cell_of(cells, where).stats.paired[sim::pair_index(a, b, policies.size())] = stored_moments(replicas, cells, n + 2, where);
  });
  return sweep;
}

PageSection read_sweep_section(const fs::path& folder) {
  PageSection section;
  section.name = folder.lexically_normal().generic_string();
  if (section.name.size() > 1 && section.name.ends_with('/')) section.name.pop_back();
  section.time = false;
  const fs::path spec_file = folder / "spec.toml";
  section.spec = report::read_text(spec_file);
  const sim::Spec spec(sim::read_spec_text(section.spec, spec_file.string()));

  std::vector<Axis> axes;
  std::size_t rows = 0;
  const fs::path table = folder / "sweep.csv";
  const auto heading = [&](std::string_view line, const std::string& where) {
    axes = heading_axes(line, "policy,measure,mean,stderr,ci_low,ci_high", where);
  };
  report::read_csv(table, heading, [&](const Cells& cells, const std::string& where) {
    const std::size_t n = axes.size();
    for (std::size_t i = 0; i < n; ++i) note(axes[i], report::csv_number(cells[i], where), where);
    const std::string slice = n == 2 ? place(std::span(axes).last(1), Cells{cells[1]}) : "";
    auto& measure = entry(entry(section.slices, &PageSection::Slice::name, slice).measures, &report::StoredMeasure::name, cells[n + 1]);
    const double mean = report::csv_number(cells[n + 2], where), low = report::csv_number(cells[n + 4], where),
                 high = report::csv_number(cells[n + 5], where);
    const bool bounded = std::isfinite(low) && std::isfinite(high);
    entry(measure.curves, &report::StoredCurve::policy, cells[n])
        .mean.push_back({report::csv_number(cells[0], where), mean, bounded ? low : mean, bounded ? high : mean});
    ++rows;
  });
  std::size_t expected = spec->policies.size() * sim::kMeasures.size();
  for (const Axis& axis : axes) expected *= axis.values.size();
  if (rows == 0 || rows != expected)
    throw UserError(fmt::format("'{}': has {} rows where the grid has {}", table.string(), rows, expected));
  for (PageSection::Slice& slice : section.slices) {
    for (report::StoredMeasure& measure : slice.measures) {
      for (report::StoredCurve& curve : measure.curves) std::ranges::sort(curve.mean, {}, &report::StoredCurve::Mean::t);
    }
  }
  for (const report::StoredCurve& curve : section.slices.front().measures.front().curves) {
    section.policies.push_back(
        {.name = curve.policy, .setting = report::setting_of(spec, curve.policy), .final_quantiles = {}, .best_share = {}});
  }

  const auto paired_heading = [&](std::string_view line, const std::string& where) {
    heading_axes(line, "a,b,mean,stderr,ci_low,ci_high", where);
  };
  report::read_csv(folder / "paired.csv", paired_heading, [&](const Cells& cells, const std::string& where) {
    const std::size_t n = axes.size();
    entry(section.cells, &PageSection::Cell::name, place(axes, cells))
        .pairs.push_back({.a = std::string(cells[n]),
                          .b = std::string(cells[n + 1]),
                          .mean = report::csv_number(cells[n + 2], where),
                          .low = report::csv_number(cells[n + 4], where),
                          .high = report::csv_number(cells[n + 5], where)});
  });
  section.x_name = axes.front().knob->words;
  section.log = is_logarithmic(axes.front());
  section.problem = report::problem_facts(spec);
  std::vector<std::string> vary;
  for (const Axis& axis : axes) {
    std::erase_if(section.problem, [&](const auto& fact) { return fact.first == turned_fact(axis.knob->name); });
    const auto [least, most] = std::ranges::minmax(axis.values);
    section.problem.emplace_back("varied", fmt::format("{}, {} values from {} to {}", axis.knob->name, axis.values.size(), least, most));
    vary.insert(vary.end(), {"--vary", fmt::format("{}={}", axis.knob->name, fmt::join(axis.values, ","))});
  }
  vary.insert(vary.end(), {"--out", "again"});
  // A sweep records its last round only, and says so to nobody.
  section.command = report::command_line("sweep", spec, std::array<std::string_view, 1>{"at"}, vary);
  section.provenance = report::read_provenance(folder / "manifest.json");
  return section;
}

}  // namespace dbandit::study
