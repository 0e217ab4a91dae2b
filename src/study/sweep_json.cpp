#include "report/json.hpp"
#include "report/json_value.hpp"
#include "sim/sums.hpp"
#include "study/sweep.hpp"

namespace dbandit::study {

using report::Json;

std::string sweep_json(const Sweep& sweep, const report::Manifest& manifest) {
  Json json{{"schema", "dbandit.sweep.v1"},
            {"spec", report::spec_value(sweep.cells.front().spec)},
            {"axes", Json::array()},
            {"cells", Json::array()}};
  for (const Axis& axis : sweep.axes) json["axes"].push_back({{"key", axis.knob->name}, {"vary", axis.text}, {"values", axis.values}});
  for (std::size_t c = 0; c < sweep.cells.size(); ++c) {
    const sim::Result& result = sweep.results[c];
    const auto& policies = result.spec->policies;
    Json at = Json::object(), at_horizon = Json::array(), paired = Json::array();
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) at[sweep.axes[axis].knob->name] = sweep.cells[c].at[axis];
    for (std::size_t p = 0; p < policies.size(); ++p) {
      Json row{{"policy", policies[p].id}};
      for (const sim::Measure& measure : sim::kMeasures) {
        row[measure.name] = report::moments_value(result, (result.stats.policies[p].*measure.curve).back());
      }
      at_horizon.push_back(std::move(row));
    }
    for (std::size_t a = 0; a < policies.size(); ++a) {
      for (std::size_t b = a + 1; b < policies.size(); ++b) {
        paired.push_back(
            {{"a", policies[a].id},
             {"b", policies[b].id},
             {"regret_difference", report::moments_value(result, result.stats.paired[sim::pair_index(a, b, policies.size())])}});
      }
    }
    json["cells"].push_back({{"at", std::move(at)}, {"policies", std::move(at_horizon)}, {"paired", std::move(paired)}});
  }
  json["manifest"] = report::manifest_value(manifest);
  return json.dump() + '\n';
}

}  // namespace dbandit::study
