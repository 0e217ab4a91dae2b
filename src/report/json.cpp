#include "report/json.hpp"

#include <cstddef>
#include <cstdint>

#include "dbandit/sim/spec_file.hpp"
#include "report/json_value.hpp"
#include "report/risk.hpp"
#include "sim/keys.hpp"
#include "sim/sums.hpp"

namespace dbandit::report {
namespace {

std::string line(const Json& json) { return json.dump() + '\n'; }

Json window_json(const model::Window& window) { return window ? Json(*window) : Json("none"); }

Json slopes_json(const model::Slopes& slopes) { return {{"lower", slopes.lower}, {"ucb", slopes.ucb}, {"klucb", slopes.klucb}}; }

/// Numbers as they are, everything else as the file has it.
template <class T>
Json value_json(const T& value, const std::string& text) {
  if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else {
    return text;
  }
}
template <class T>
Json value_json(const std::vector<T>& values, const std::string& /*text*/) {
  return values;
}
Json value_json(const std::vector<sim::Policy>& policies, const std::string& /*text*/) {
  Json texts = Json::array();
  for (const sim::Policy& policy : policies) texts.push_back(policy.text());
  return texts;
}
Json value_json(const model::Window& window, const std::string& /*text*/) { return window_json(window); }

Json policy_json(const sim::Result& result, std::size_t p) {
  const sim::Spec& spec = result.spec;
  const sim::PolicyStats& stats = result.stats.policies[p];
  Json curve = Json::array();
  for (std::size_t record = 0; record < spec->at.size(); ++record) {
    Json point{{"t", spec->at[record]}};
    for (const sim::Measure& measure : sim::kMeasures) {
      point[std::string(measure.name)] = moments_value(result, (stats.*measure.curve)[record]);
    }
    curve.push_back(std::move(point));
  }
  Json pulls = Json::array();
  for (std::size_t arm = 0; arm < stats.pulls.size(); ++arm) {
    pulls.push_back({{"arm", arm}, {"mean", stats.pulls[arm].mean}, {"stderr", stats.pulls[arm].standard_error()}});
  }
  const auto& final_regret = stats.final_regret();
  return {
      {"policy", spec->policies[p].id},
      {"curve", std::move(curve)},
      {"pulls", std::move(pulls)},
      {"final_regret", {{"p10", final_regret.quantile(0.1)}, {"p50", final_regret.quantile(0.5)}, {"p90", final_regret.quantile(0.9)}}}};
}

Json paired_json(const sim::Result& result) {
  Json pairs = Json::array();
  const auto& policies = result.spec->policies;
  auto difference = result.stats.paired.begin();
  for (std::size_t a = 0; a < policies.size(); ++a) {
    for (std::size_t b = a + 1; b < policies.size(); ++b) {
      pairs.push_back({{"a", policies[a].id}, {"b", policies[b].id}, {"regret_difference", moments_value(result, *difference++)}});
    }
  }
  return pairs;
}

std::uint64_t replicas_of(const sim::Result& result) {
  return static_cast<std::uint64_t>(result.stats.policies.front().regret.back().count);
}

/// Every ci95 of such a document is one of several looks and wider for it.
Json until_json(const sim::Result& result) {
  return {{"rule", result.spec->until->text()},
          {"met", result.precise},
          {"replicas", replicas_of(result)},
          {"sequential_looks", result.looks},
          {"alpha_of_last_look", result.interval_alpha}};
}

Json summary(const sim::Result& result) {
  Json json{{"schema", "dbandit.result.v1"}, {"spec", spec_value(result.spec)}};
  // A finished document has no such key, so that partial numbers cannot be taken for the spec's.
  if (!result.complete) json["partial"] = {{"replicas", replicas_of(result)}};
  if (result.looks > 0) json["until"] = until_json(result);
  json["policies"] = Json::array();
  for (std::size_t p = 0; p < result.spec->policies.size(); ++p) {
    json["policies"].push_back(policy_json(result, p));
  }
  json["paired"] = paired_json(result);
  json["bounds"] = {{"censored", result.spec->censor ? slopes_json(result.censored) : Json()},
                    {"uncensored", slopes_json(result.uncensored)}};
  return json;
}

}  // namespace

Json moments_value(const sim::Result& result, const stats::Moments& moments) {
  const double half = result.half_width(moments);
  return {{"mean", moments.mean}, {"stderr", moments.standard_error()}, {"ci95", {moments.mean - half, moments.mean + half}}};
}

Json spec_value(const sim::Spec& spec) {
  Json json;
  sim::for_each_key([&](const auto& key) { json[std::string(key.name)] = value_json((*spec).*key.field, sim::key_flag(*spec, key.name)); });
  return json;
}

Json manifest_value(const Manifest& manifest) {
  return {{"version", manifest.build.version},
          {"commit", manifest.build.commit},
          {"compiler", manifest.build.compiler},
          {"cpu", manifest.cpu},
          {"target", manifest.target},
          {"threads", manifest.threads},
          {"seconds", manifest.seconds},
          {"replica_rounds", static_cast<std::uint64_t>(manifest.replica_rounds)},
          {"replica_rounds_per_second", manifest.replica_rounds_per_second()}};
}

std::string result_json(const sim::Result& result, const Manifest& manifest) {
  Json json = summary(result);
  if (!result.stats.policies.front().spread.empty()) json["risk"] = risk_json(result);
  json["manifest"] = manifest_value(manifest);
  return line(json);
}

std::string summary_json(const sim::Result& result) { return line(summary(result)); }

std::string manifest_json(const Manifest& manifest) { return line(manifest_value(manifest)); }

std::string bounds_json(const model::Problem& problem, const model::Window& window, double epsilon) {
  return line({{"schema", "dbandit.bounds.v1"},
               {"theta", problem.theta},
               {"delay", model::delays_text(problem.delay)},
               {"censor", window_json(window)},
               {"epsilon", epsilon},
               {"bounds",
                {{"censored", window ? slopes_json(model::slopes(problem, window, epsilon)) : Json()},
                 {"uncensored", slopes_json(model::slopes(problem, std::nullopt, epsilon))}}}});
}

}  // namespace dbandit::report
