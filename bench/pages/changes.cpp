#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"
#include "pages/throughput.hpp"

namespace dbandit::bench {
namespace {

/// How a figure moved. `worse` > 0: by that share in the bad direction.
struct Change {
  std::string name;
  Spread then, now;
  double worse = 0;
  [[nodiscard]] bool beyond_spread() const { return then.low > now.high || now.low > then.high; }
  [[nodiscard]] std::string verdict() const {
    const std::string room = beyond_spread() ? "beyond the spread" : "within the spread";
    if (std::abs(worse) < 0.005) return "the same";
    return fmt::format("{} by {:.1f} %, {}", worse > 0 ? "slower" : "faster", 100 * std::abs(worse), room);
  }
};

Change change(const std::string& name, const Spread& then, const Spread& now, Better better) {
  const double growth = then.median > 0 ? now.median / then.median : 1;
  return {name, then, now, better == Better::lower ? growth - 1 : 1 / growth - 1};
}

report::Columns columns(const std::vector<Change>& changes) {
  report::Columns columns{.align = {report::Align::left, report::Align::right, report::Align::right, report::Align::left},
                          .rows = {{"measure", "then", "now", "change"}},
                          .highlight = {}};
  for (const Change& c : changes) {
    columns.rows.push_back({c.name, fmt::format("{:.4g}", c.then.median), fmt::format("{:.4g}", c.now.median), c.verdict()});
  }
  return columns;
}

template <class T>
const T* find(const std::vector<T>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &T::name);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

Earlier read_summary(const std::string& path) {
  const Input input = read_input(path, 16'000'000);
  const auto refuse = [&](std::string_view why) -> UserError {
    return UserError(
        fmt::format("--compare: {} {}; allowed is the summary.json of an earlier 'dbandit bench'", dbandit::quoted(path), why));
  };
  if (!input.wrong.empty()) throw refuse(input.wrong);
  try {
    const report::Json json = report::Json::parse(input.bytes);
    if (json.at("schema").text() != "dbandit.bench.v1") throw refuse("is something else");
    Earlier earlier{.cpu = json.at("cpu").text(), .ratios = {}, .measurements = {}};
    for (const auto& [name, value] : json.members()) {
      if (!value.is_object() || !value.contains("better") || value.at("median").is_null()) continue;
      Ratio ratio;
      ratio.name = name;
      ratio.value = read_spread(value);
      earlier.ratios.push_back(std::move(ratio));
    }
    const report::Json times = json.contains("nanoseconds") ? json.at("nanoseconds") : report::Json::object();
    for (const auto& [name, value] : times.members()) {
      earlier.measurements.push_back({.name = name, .nanoseconds = read_spread(value), .counters = {}});
    }
    return earlier;
  } catch (const report::Json::TooDeep&) {
    throw refuse("is something else");
  } catch (const report::Json::Error&) {
    throw refuse("is not such a document");
  }
}

std::string throughput_changes(const Earlier& earlier, const Throughput& found, const report::Style& style) {
  std::vector<Change> ratios, slower;
  for (const Ratio& now : found.ratios.ratios) {
    const Ratio* then = find(earlier.ratios, now.name);
    if (then != nullptr && now.value) ratios.push_back(change(now.name, *then->value, *now.value, now.better));
  }
  std::string text = style.bold("Ratios, then and now") + "\n" + columns(ratios).text(style) + "\n";
  if (earlier.cpu != found.cpu) {
    return text + fmt::format("Times are not compared: then it was another CPU, {}.\n", earlier.cpu);
  }
  std::size_t compared = 0, faster = 0;
  for (const Measurement& now : found.measurements) {
    const Measurement* then = find(earlier.measurements, now.name);
    if (then == nullptr) continue;
    ++compared;
    const Change moved = change(now.name, then->nanoseconds, now.nanoseconds, Better::lower);
    if (!moved.beyond_spread()) continue;
    if (moved.worse > 0) {
      slower.push_back(moved);
    } else {
      ++faster;
    }
  }
  std::ranges::sort(slower, std::greater<>(), &Change::worse);
  text += style.bold("Times in nanoseconds, slower beyond the spread") + "\n";
  text += slower.empty() ? "none\n" : columns(slower).text(style);
  return text + style.dim(fmt::format("{} times compared: {} slower and {} faster beyond the spread (quartiles that do not overlap)\n",
                                      compared, slower.size(), faster));
}

}  // namespace dbandit::bench
