#include "held_result.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "dbandit/core/error.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "report/ink.hpp"
#include "report/table.hpp"
#include "sim/sums.hpp"

namespace py = pybind11;

namespace dbandit::python {
namespace {

constexpr std::array<double, 3> kBandQuantiles{0.1, 0.5, 0.9};

/// An array over memory that `owner` keeps: no copy, and nobody writes to it.
template <class T>
py::array view(const std::vector<T>& values, std::vector<py::ssize_t> shape, const py::object& owner) {
  py::array array = py::array_t<T>(std::move(shape), values.data(), owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

py::tuple estimate_view(const HeldResult::Estimate& estimate, const py::object& owner) {
  py::list parts;
  for (const std::vector<double>& part : estimate.parts) {
    parts.append(view(part, {static_cast<py::ssize_t>(estimate.rows), static_cast<py::ssize_t>(estimate.columns)}, owner));
  }
  return py::tuple(parts);
}

const HeldResult& held(const py::object& self) { return self.cast<const HeldResult&>(); }

py::dict slopes_dict(const model::Slopes& slopes) {
  py::dict dict;
  dict["lower"] = slopes.lower;
  // None, as `load` finds it in summary.json, where the paper grants nothing.
  const auto granted = [](double slope) { return std::isnan(slope) ? py::object(py::none()) : py::object(py::float_(slope)); };
  dict["ucb"] = granted(slopes.ucb);
  dict["klucb"] = granted(slopes.klucb);
  return dict;
}

py::dict bounds_dict(const sim::Result& result) {
  py::dict bounds;
  bounds["censored"] = result.spec->censor ? py::object(slopes_dict(result.censored)) : py::none();
  bounds["uncensored"] = slopes_dict(result.uncensored);
  return bounds;
}

using Stored = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// The moments behind a stored mean and standard error; a table's digits do not see what their square root rounded away.
stats::Moments moments(double count, double mean, double standard_error) {
  return {.count = count, .mean = mean, .variance = standard_error * standard_error * count};
}

/// The table of a stored result, whose folder does not say what each policy cost. Curves are [policy][record], paired [a][b].
std::string stored_table(const std::string& spec_text, double replicas, bool complete, const std::vector<std::pair<Stored, Stored>>& curves,
                         const std::pair<Stored, Stored>& paired) {
  sim::Result result{.spec = sim::Spec(sim::read_spec_text(spec_text, "spec.toml"))};
  const std::size_t policies = result.spec->policies.size(), records = result.spec->at.size();
  result.complete = complete;
  const model::Problem problem = result.spec.problem();
  if (result.spec->censor) result.censored = model::slopes(problem, result.spec->censor, result.spec->epsilon);
  result.uncensored = model::slopes(problem, {}, result.spec->epsilon);
  result.stats.policies.resize(policies);
  for (std::size_t m = 0; m < sim::kMeasures.size(); ++m) {
    const auto& [mean, error] = curves.at(m);
    const auto rows = static_cast<std::size_t>(mean.shape(0)), columns = static_cast<std::size_t>(mean.shape(1));
    if (rows != policies || columns != records) throw UserError("summary.json: is not the result of the spec.toml beside it");
    for (std::size_t p = 0; p < policies; ++p) {
      for (std::size_t r = 0; r < records; ++r) {
        (result.stats.policies[p].*sim::kMeasures[m].curve).push_back(moments(replicas, mean.at(p, r), error.at(p, r)));
      }
    }
  }
  for (std::size_t a = 0; a < policies; ++a) {
    for (std::size_t b = a + 1; b < policies; ++b) {
      result.stats.paired.push_back(moments(replicas, paired.first.at(a, b), paired.second.at(a, b)));
    }
  }
  return report::result_table(result, {});
}

}  // namespace

HeldResult::Estimate::Estimate(std::size_t row_count, std::size_t column_count) : rows(row_count), columns(column_count) {
  for (std::vector<double>& part : parts) part.resize(rows * columns);
}

void HeldResult::Estimate::set(std::size_t row, std::size_t column, const stats::Moments& moments, double half_width) {
  const std::array<double, 4> values{moments.mean, moments.standard_error(), moments.mean - half_width, moments.mean + half_width};
  for (std::size_t part = 0; part < parts.size(); ++part) parts[part][row * columns + column] = values[part];
}

HeldResult::HeldResult(sim::Result given, std::vector<double> samples)
    : result_(std::move(given)),
      pulls_(result_.spec->policies.size(), result_.spec->theta.size()),
      paired_(result_.spec->policies.size(), result_.spec->policies.size()),
      samples_(std::move(samples)) {
  const std::size_t policies = result_.spec->policies.size(), records = result_.spec->at.size();
  const auto half_width = [&](const stats::Moments& moments) { return result_.half_width(moments); };
  for (const sim::Measure& measure : sim::kMeasures) {
    Estimate& curve = curves_.emplace_back(policies, records);
    for (std::size_t p = 0; p < policies; ++p) {
      const std::vector<stats::Moments>& moments = result_.stats.policies[p].*measure.curve;
      for (std::size_t r = 0; r < records; ++r) curve.set(p, r, moments[r], half_width(moments[r]));
    }
  }
  const std::vector<std::size_t> spread = sim::spread_records(records);
  for (const std::size_t record : spread) band_rounds_.push_back(result_.spec->at[record]);
  for (std::size_t p = 0; p < policies; ++p) {
    const sim::PolicyStats& stats = result_.stats.policies[p];
    for (std::size_t k = 0; k < stats.pulls.size(); ++k) pulls_.set(p, k, stats.pulls[k], half_width(stats.pulls[k]));
    for (const stats::Quantiles& quantiles : stats.spread) {
      for (std::size_t q = 0; q < band_.size(); ++q) band_[q].push_back(quantiles.quantile(kBandQuantiles[q]));
    }
    for (std::size_t b = p + 1; b < policies; ++b) {
      stats::Moments difference = result_.stats.paired[sim::pair_index(p, b, policies)];
      const double half = half_width(difference);
      paired_.set(p, b, difference, half);
      difference.mean = -difference.mean;
      paired_.set(b, p, difference, half);
    }
  }
}

const HeldResult::Estimate& HeldResult::curve(const std::string& measure) const {
  const auto found = std::ranges::find(sim::kMeasures, measure, &sim::Measure::name);
  if (found == sim::kMeasures.end()) throw UserError(fmt::format("'{}' is not a measure", measure));
  return curves_[static_cast<std::size_t>(found - sim::kMeasures.begin())];
}

void declare_result(py::module_& module) {
  py::class_<HeldResult>(module, "Result", "What the engine returns; dbandit.Result shows it.")
      .def_property_readonly("policies", [](const HeldResult& self) { return self.result().spec.ids(); })
      .def_property_readonly("spec_text", [](const HeldResult& self) { return sim::spec_text(self.result().spec); })
      .def_property_readonly(
          "replicas",
          [](const HeldResult& self) { return static_cast<std::int64_t>(self.result().stats.policies.front().regret.back().count); })
      .def_property_readonly("seconds", [](const HeldResult& self) { return self.result().timing.seconds; })
      .def_property_readonly("bounds", [](const HeldResult& self) { return bounds_dict(self.result()); })
      .def_property_readonly("t",
                             [](const py::object& self) {
                               const std::vector<std::int64_t>& at = held(self).result().spec->at;
                               return view(at, {static_cast<py::ssize_t>(at.size())}, self);
                             })
      .def("curve", [](const py::object& self, const std::string& measure) { return estimate_view(held(self).curve(measure), self); })
      .def_property_readonly("pulls", [](const py::object& self) { return estimate_view(held(self).pulls(), self); })
      .def_property_readonly("paired", [](const py::object& self) { return estimate_view(held(self).paired(), self); })
      .def_property_readonly("band",
                             [](const py::object& self) {
                               const HeldResult& result = held(self);
                               const auto rounds = static_cast<py::ssize_t>(result.band_rounds().size());
                               const auto policies = static_cast<py::ssize_t>(result.result().spec->policies.size());
                               py::list parts;
                               parts.append(view(result.band_rounds(), {rounds}, self));
                               for (const auto& quantile : result.band()) parts.append(view(quantile, {policies, rounds}, self));
                               return py::tuple(parts);
                             })
      .def_property_readonly(
          "samples",
          [](const py::object& self) -> py::object {
            const HeldResult& result = held(self);
            const auto policies = static_cast<py::ssize_t>(result.result().spec->policies.size());
            if (result.samples().empty()) return py::none();
            return view(result.samples(), {policies, static_cast<py::ssize_t>(result.samples().size()) / policies}, self);
          })
      .def("files",
           [](const HeldResult& self) {
             py::dict files;
             for (const report::File& file : report::result_files(self.result(), report::manifest(self.result()))) {
               files[py::str(file.name)] = py::bytes(file.content);
             }
             return files;
           })
      .def("table", [](const HeldResult& self) { return report::result_table(self.result(), {}); });
  module.def("stored_table", &stored_table);
  module.def("write", [](const std::string& folder, const std::map<std::string, py::bytes>& contents) {
    std::vector<report::File> files;
    for (const auto& [name, content] : contents) files.push_back({name, content});
    report::Directory(folder).write(files);
  });
  module.def("inks", [](const std::vector<std::string>& policies) {
    std::vector<std::tuple<std::string, int, std::string>> inks;
    for (const report::Ink& ink : report::inks(policies)) inks.emplace_back(ink.color, ink.mark, ink.dash);
    return inks;
  });
  module.def("mean_text", [](double mean, double half_width) { return report::mean_text(mean, half_width); });
}

}  // namespace dbandit::python
