#include "report/json.hpp"
#include "report/json_value.hpp"
#include "study/league_words.hpp"

namespace dbandit::study {
namespace {

using report::Json;

Json interval_value(const Interval& interval) { return {{"value", interval.value}, {"ci95", {interval.low, interval.high}}}; }

Json place_value(const Place& place) {
  const Interval regret = interval_of(place.regret);
  return {{"policy", place.policy},
          {"ranked", place.ranked},
          {"regret", {{"mean", regret.value}, {"stderr", place.regret.standard_error()}, {"ci95", {regret.low, regret.high}}}},
          {"p99", place.p99},
          {"behind", interval_value(place.behind)},
          {"p_holm", place.p}};
}

Json standing_value(const Standing& row) {
  return {{"policy", row.policy},
          {"ranked", row.ranked},
          {"told", {{"law", row.knows.law}, {"tau_m", row.knows.tau_m}, {"horizon", row.knows.horizon}, {"prior", row.knows.prior}}},
          {"rank", row.first == 0 ? Json() : Json{row.first, row.last}},
          {"over_best", interval_value(row.over_best)},
          {"p99_over_best", row.p99},
          {"worst", {{"ratio", row.worst}, {"problem", row.worst_in}}},
          {"as_good", row.as_good},
          {"behind", row.behind}};
}

}  // namespace

std::string league_json(std::span<const sim::Result> results, std::span<const Match> matches, const report::Manifest& manifest) {
  Json json{{"schema", "dbandit.league.v1"},
            {"seed", matches.front().spec->seed},
            {"advice", advice(results, matches)},
            {"divisions", Json::array()}};
  for (const Division division : kDivisions) {
    const std::vector<Unit> problems = units(results, matches, division);
    Json standing = Json::array(), played = Json::array();
    for (const Standing& row : standings(problems)) standing.push_back(standing_value(row));
    for (const Unit& unit : problems) {
      for (std::size_t h = 0; h < unit.places.size(); ++h) {
        Json places = Json::array();
        for (const Place& place : unit.places[h]) places.push_back(place_value(place));
        played.push_back({{"problem", unit.problem->name}, {"horizon", kLeagueHorizons[h]}, {"policies", std::move(places)}});
      }
    }
    json["divisions"].push_back({{"division", division == Division::window ? "window" : "none"},
                                 {"standings", std::move(standing)},
                                 {"problems", std::move(played)}});
  }
  json["manifest"] = report::manifest_value(manifest);
  return json.dump() + '\n';
}

}  // namespace dbandit::study
