#include "report/page.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "core/text.hpp"
#include "report/ink.hpp"
#include "report/json_value.hpp"

namespace dbandit::report {
namespace {

/// Text between tags, or in an attribute.
std::string html_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

/// JSON between script tags: pure ASCII, bytes that are no text replaced, and no character with which HTML could end the script
/// or begin a comment. JSON has those only inside strings, where the escape means the same.
std::string script_data(const Json& json) {
  std::string safe;
  for (const char c : json.ascii()) {
    if (c == '<' || c == '>' || c == '&') {
      safe += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < hex.size(); at += 6) {
    const std::string_view digits = hex.substr(at, 6);
    const std::uint32_t bits = parse_hex(digits).value_or(0) << 4 * (6 - digits.size());
    const std::size_t bytes = digits.size() / 2;
    for (std::size_t i = 0; i < 4; ++i) text += i <= bytes ? alphabet[(bits >> (18 - 6 * i)) & 63] : '=';
  }
  return text;
}

/// Nothing but the page's own scripts and styles runs, and nothing is ever fetched or sent.
std::string content_policy(const PageAssets& assets) {
  const auto hash = [](const PageAsset& asset) { return "'sha256-" + base64_of_hex(asset.sha256) + "'"; };
  return fmt::format(
      "default-src 'none'; script-src {} {}; style-src {} {}; img-src data:; base-uri 'none'; form-action 'none'; "
      "require-trusted-types-for 'script'; trusted-types 'none'",
      hash(assets.chart_script), hash(assets.script), hash(assets.chart_style), hash(assets.style));
}

Json curve_json(const StoredCurve& curve) {
  Json json{{"policy", curve.policy}};
  for (const char* column : {"x", "mean", "low", "high"}) json[column] = Json::array();
  for (const StoredCurve::Mean& point : curve.mean) {
    json["x"].push_back(point.t);
    json["mean"].push_back(point.mean);
    json["low"].push_back(point.low);
    json["high"].push_back(point.high);
  }
  if (curve.band.empty()) return json;
  Json& band = json["band"] = {{"x", Json::array()}, {"low", Json::array()}, {"high", Json::array()}};
  for (const StoredCurve::Band& point : curve.band) {
    band["x"].push_back(point.t);
    band["low"].push_back(point.low);
    band["high"].push_back(point.high);
  }
  return json;
}

Json facts_json(const PageSection::Facts& facts) {
  Json json = Json::array();
  for (const auto& [key, value] : facts) json.push_back({key, value});
  return json;
}

Json section_json(const PageSection& section) {
  Json json{{"name", section.name},
            {"xName", section.x_name},
            {"time", section.time},
            {"log", section.log},
            {"problem", facts_json(section.problem)},
            {"policies", Json::array()},
            {"slices", Json::array()},
            {"bounds", Json::array()},
            {"cells", Json::array()},
            {"provenance", facts_json(section.provenance)},
            {"spec", section.spec},
            {"command", section.command}};
  for (const PageSection::Policy& policy : section.policies) {
    Json quantiles = Json::array(), risk = Json::object();
    for (const auto& [figure, value, low, high] : policy.risk) risk[figure] = {value, low, high};
    for (const auto& [percent, regret] : policy.final_quantiles) quantiles.push_back({percent, regret});
    json["policies"].push_back({{"name", policy.name},
                                {"ink", ink_place(policy.name) % 64},
                                {"setting", policy.setting},
                                {"quantiles", std::move(quantiles)},
                                {"risk", std::move(risk)},
                                {"bestShare", policy.best_share ? Json(*policy.best_share) : Json()}});
  }
  for (const PageSection::Slice& slice : section.slices) {
    Json measures = Json::array();
    for (const StoredMeasure& measure : slice.measures) {
      Json curves = Json::array();
      for (const StoredCurve& curve : measure.curves) curves.push_back(curve_json(curve));
      measures.push_back({{"name", measure.name}, {"curves", std::move(curves)}});
    }
    json["slices"].push_back({{"name", slice.name}, {"measures", std::move(measures)}});
  }
  for (const PageSection::Bound& bound : section.bounds) {
    json["bounds"].push_back({{"name", bound.name}, {"slope", bound.slope}, {"lower", bound.lower}, {"policies", bound.policies}});
  }
  for (const PageSection::Cell& cell : section.cells) {
    Json pairs = Json::array();
    for (const PageSection::Pair& pair : cell.pairs)
      pairs.push_back({{"a", pair.a}, {"b", pair.b}, {"mean", pair.mean}, {"low", pair.low}, {"high", pair.high}});
    json["cells"].push_back({{"name", cell.name}, {"pairs", std::move(pairs)}});
  }
  return json;
}

}  // namespace

const std::string_view kNoPage =
    "this program was built without the chart library of the page; './run.sh report' fetches it, by src/report/page/fetch.sh, and builds "
    "again (needs npm; Debian: apt-get install npm)";

std::string page_html(std::span<const PageSection> sections, const PageAssets& assets) {
  Json data{{"sections", Json::array()}};
  std::string title = "dbandit";
  for (const PageSection& section : sections) {
    data["sections"].push_back(section_json(section));
    title += " · " + section.name;
  }
  const std::array<std::pair<std::string_view, std::string>, 8> parts{{
      {"policy", content_policy(assets)},
      {"title", html_text(title)},
      {"chart-style", std::string(assets.chart_style.text)},
      {"style", std::string(assets.style.text)},
      {"data", script_data(data)},
      {"chart-script", std::string(assets.chart_script.text)},
      {"script", std::string(assets.script.text)},
      {"chart-licence", html_text(assets.chart_licence)},
  }};
  // One pass over the skeleton: what is filled in is never looked at for names again.
  std::string page;
  std::string_view rest = assets.skeleton;
  for (std::size_t open = 0; (open = rest.find("{{")) != std::string_view::npos;) {
    const std::size_t close = rest.find("}}", open);
    const std::string_view name = rest.substr(open + 2, close - open - 2);
    page += rest.substr(0, open);
    for (const auto& [known, text] : parts) {
      if (known == name) page += text;
    }
    rest.remove_prefix(close + 2);
  }
  return page + std::string(rest);
}

}  // namespace dbandit::report
