#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "dbandit/report/manifest.hpp"
#include "pages/throughput.hpp"

namespace dbandit::bench {
namespace {

report::Json side_json(const Ratio::Side& side) { return {{"of", side.of}, {"ns", side.nanoseconds}}; }

report::Json ratio_json(const Ratio& ratio) {
  report::Json json = ratio.value
                          ? spread_json(*ratio.value)
                          : report::Json{{"median", report::Json()}, {"spread", report::Json()}, {"n", 0}, {"reason", ratio.reason}};
  json["better"] = ratio.better == Better::higher ? "higher" : "lower";
  json["target"] = ratio.target ? report::Json(*ratio.target) : report::Json();
  json["met"] = ratio.met() ? report::Json(*ratio.met()) : report::Json();
  json["what"] = ratio.what;
  if (ratio.value) {
    json["numerator"] = side_json(ratio.numerator);
    json["denominator"] = side_json(ratio.denominator);
  }
  return json;
}

Ratio read_ratio(const std::string& name, const report::Json& json) {
  Ratio ratio{.name = name,
              .what = json.at("what").text(),
              .better = json.at("better").text() == "higher" ? Better::higher : Better::lower,
              .target = {},
              .value = {},
              .reason = json.contains("reason") ? json.at("reason").text() : "",
              .numerator = {},
              .denominator = {}};
  if (!json.at("target").is_null()) ratio.target = json.at("target").number();
  if (json.at("median").is_null()) return ratio;
  ratio.value = read_spread(json);
  for (const auto& [key, side] : {std::pair("numerator", &ratio.numerator), std::pair("denominator", &ratio.denominator)}) {
    *side = {.of = json.at(key).at("of").text(), .nanoseconds = json.at(key).at("ns").number()};
  }
  return ratio;
}

}  // namespace

Spread spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  const auto quantile = [&](double q) {
    const double at = q * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const auto above = std::min(below + 1, values.size() - 1);
    return values[below] + (at - static_cast<double>(below)) * (values[above] - values[below]);
  };
  return {.median = quantile(0.5), .low = quantile(0.25), .high = quantile(0.75), .n = values.size()};
}

report::Json spread_json(const Spread& spread) {
  return {{"median", spread.median}, {"spread", {spread.low, spread.high}}, {"n", spread.n}};
}

Spread read_spread(const report::Json& json) {
  return {.median = json.at("median").number(),
          .low = json.at("spread").at(0).number(),
          .high = json.at("spread").at(1).number(),
          .n = static_cast<std::size_t>(json.at("n").number())};
}

std::optional<bool> Ratio::met() const {
  if (!value || !target) return std::nullopt;
  return better == Better::higher ? value->median >= *target : value->median <= *target;
}

Ratios read_ratios(std::string_view text) {
  const report::Json json = report::Json::parse(text);
  Ratios found{.target = json.at("target").text(),
               .taken_away = json.at("taken_away").number(),
               .ratios = {},
               .rates = {},
               .breakdowns = {},
               .leaps = {}};
  for (const auto& [name, ratio] : json.at("ratios").members()) found.ratios.push_back(read_ratio(name, ratio));
  for (const auto& [policy, rate] : json.at("rates").members())
    found.rates.push_back({policy, read_spread(rate), rate.at("target").number()});
  for (const auto& [of, stages] : json.at("stages").members()) {
    Breakdown breakdown{.of = of,
                        .nanoseconds = {},
                        .decided_exactly = stages.at("decided_exactly").number(),
                        .rounds_per_look = stages.at("rounds_per_look").number()};
    for (const auto& [stage, nanoseconds] : stages.at("ns").members()) breakdown.nanoseconds.emplace_back(stage, nanoseconds.number());
    (breakdown.rounds_per_look > 0 ? found.leaps : found.breakdowns).push_back(std::move(breakdown));
  }
  return found;
}

std::vector<Measurement> read_measurements(std::string_view google_json) {
  std::map<int, Measurement> found;  // by the order in which they are declared: interleaved repetitions come in any
  std::map<std::string, std::vector<double>> times;
  const report::Json document = report::Json::parse(google_json);
  for (const report::Json& run : document.at("benchmarks").elements()) {
    std::string name = run.at("run_name").text();
    name = name.substr(0, name.find("/process_time"));
    if (run.contains("error_message")) throw std::runtime_error(fmt::format("{}: {}", name, run.at("error_message").text()));
    if (run.at("run_type").text() != "iteration") continue;
    const double items = run.at("items").number();
    if (!times.contains(name)) {
      Measurement measurement{.name = name, .nanoseconds = {}, .counters = {}};
      if (run.contains("worst_error")) measurement.counters["worst_error"] = run.at("worst_error").number();
      found.emplace(static_cast<int>(run.at("family_index").number()), std::move(measurement));
    }
    constexpr double nanoseconds_per_microsecond = 1000;  // the unit all our benchmarks report in
    // Other programs disturb CPU time less than the wall's; but several threads use more of it than passes, and a clock of the
    // benchmark's own is told as real time.
    const bool own_clock = run.at("name").text().find("/manual_time") != std::string::npos;
    const auto* const time = own_clock || name.starts_with("scaling/threads/") ? "real_time" : "cpu_time";
    times[name].push_back(run.at(time).number() * nanoseconds_per_microsecond / items);
  }
  std::vector<Measurement> sorted;
  for (auto& [index, measurement] : found) {
    measurement.nanoseconds = spread(std::move(times[measurement.name]));
    sorted.push_back(std::move(measurement));
  }
  return sorted;
}

std::string raw_measurements(std::string_view google_json) {
  report::Json document = report::Json::parse(google_json);
  report::Json& context = document["context"];
  for (const auto* key : {"host_name", "executable"}) context.erase(key);
  std::string lines;
  for (const report::Json& run : document.at("benchmarks").elements()) {
    if (run.at("run_type").text() != "aggregate") lines += (lines.empty() ? "\n" : ",\n") + run.dump();
  }
  return fmt::format("{{\"context\":{},\n\"benchmarks\":[{}\n]}}\n", context.dump(), lines);
}

std::string busy_warning(const Throughput& found) {
  constexpr double load_per_core = 0.25, most_taken_away = 0.03;
  std::vector<std::string> signs;
  if (found.load_before > load_per_core * found.cores)
    signs.push_back(fmt::format("the load average was {:.2f} before the run", found.load_before));
  if (found.ratios.taken_away > most_taken_away) {
    signs.push_back(fmt::format("{:.0f} % of the time went to other programs during it", 100 * found.ratios.taken_away));
  }
  if (signs.empty()) return {};
  return "the machine was busy: " + signs.front() + (signs.size() > 1 ? ", and " + signs[1] : "") + "; ratios suffer less than times";
}

std::string throughput_json(const Throughput& found) {
  const report::Build& program = report::build();
  report::Json json{{"schema", "dbandit.bench.v1"},
                    {"command", found.command},
                    {"version", program.version},
                    {"commit", program.commit},
                    {"compiler", program.compiler},
                    {"cpu", found.cpu},
                    {"cores", found.cores},
                    {"target", found.ratios.target},
                    {"seconds", found.seconds},
                    {"load_average", {{"before", found.load_before}, {"after", found.load_after}}},
                    {"taken_away", found.ratios.taken_away}};
  const std::string warning = busy_warning(found);
  json["warning"] = warning.empty() ? report::Json() : report::Json(warning);
  for (const Ratio& ratio : found.ratios.ratios) json[ratio.name] = ratio_json(ratio);
  for (const Rate& rate : found.ratios.rates) {
    report::Json& entry = json["replica_rounds_per_second"][rate.policy] = spread_json(rate.per_second);
    entry["target"] = rate.target;
  }
  for (const auto& [key, breakdowns] : {std::pair("stages", &found.ratios.breakdowns), std::pair("leaps", &found.ratios.leaps)}) {
    for (const Breakdown& breakdown : *breakdowns) {
      report::Json& entry = json[key][breakdown.of];
      for (const auto& [stage, nanoseconds] : breakdown.nanoseconds) entry["ns"][stage] = nanoseconds;
      entry["decided_exactly"] = breakdown.decided_exactly;
      if (breakdown.rounds_per_look > 0) entry["rounds_per_look"] = breakdown.rounds_per_look;
    }
  }
  for (const Measurement& measurement : found.measurements) {
    report::Json& entry = json["nanoseconds"][measurement.name] = spread_json(measurement.nanoseconds);
    for (const auto& [counter, value] : measurement.counters) entry[counter] = value;
  }
  return json.dump(1) + '\n';
}

}  // namespace dbandit::bench
