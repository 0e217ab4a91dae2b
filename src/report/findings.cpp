#include "report/findings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/columns.hpp"
#include "report/json_value.hpp"

namespace dbandit::report {

std::string findings_text(const std::vector<Finding>& findings, std::string_view meaning, const Style& style) {
  Columns columns{.align = {Align::left, Align::left, Align::left}, .rows = {{"", "what", "found"}}, .highlight = {}};
  for (const Finding& finding : findings) {
    const bool wrong = !finding.fix.empty();
    columns.rows.push_back({wrong ? "!" : "ok", finding.what, finding.found});
    if (wrong) columns.rows.push_back({"", "", "fix: " + finding.fix});
  }
  const auto wrong = std::ranges::count_if(findings, [](const Finding& finding) { return !finding.fix.empty(); });
  return columns.text(style) + "\n" + (wrong == 0 ? "nothing to fix\n" : fmt::format("{} to fix; {}\n", wrong, meaning));
}

std::string findings_json(const std::vector<Finding>& findings, std::string_view schema) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    Json json{{"what", finding.what}, {"ok", finding.fix.empty()}, {"found", finding.found}};
    if (!finding.fix.empty()) json["fix"] = finding.fix;
    list.push_back(std::move(json));
  }
  return Json{{"schema", std::string(schema)}, {"findings", list}}.dump() + '\n';
}

}  // namespace dbandit::report
