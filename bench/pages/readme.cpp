#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "dbandit/report/manifest.hpp"
#include "pages/throughput.hpp"
#include "report/table.hpp"

namespace dbandit::bench {
namespace {

std::string ratio_text(double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0); }

std::string value_text(const Ratio& ratio) { return ratio.value ? ratio_text(ratio.value->median) : "–"; }

std::string quartiles_text(const Ratio& ratio) {
  return ratio.value ? fmt::format("{} – {}", ratio_text(ratio.value->low), ratio_text(ratio.value->high)) : "–";
}

std::string target_text(const Ratio& ratio) {
  return ratio.target ? fmt::format("{} {}", ratio.better == Better::higher ? "≥" : "≤", *ratio.target) : "";
}

std::string verdict_text(const Ratio& ratio) {
  if (!ratio.value) return ratio.reason;
  const auto met = ratio.met();
  return !met ? "" : *met ? "met" : "missed";
}

std::string time_text(double nanoseconds) { return report::duration_text(nanoseconds * 1e-9); }

std::string markdown(const std::vector<std::vector<std::string>>& rows, std::size_t left = 1) {
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    text += fmt::format("| {} |\n", fmt::join(rows[r], " | "));
    if (r > 0) continue;
    text += "|";
    for (std::size_t c = 0; c < rows[0].size(); ++c) text += c < left ? "---|" : "---:|";
    text += "\n";
  }
  return text + "\n";
}

std::vector<std::string> parts(const std::string& name) {
  std::vector<std::string> found;
  for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
    to = name.find('/', from);
    found.push_back(name.substr(from, to - from));
  }
  return found;
}

/// A table of times whose rows and columns are two parts of the measurements' names, in the order in which they come.
class Grid {
 public:
  using Place = std::function<std::optional<std::pair<std::string, std::string>>(const std::vector<std::string>&)>;

  Grid(const Throughput& found, const Place& place) {
    for (const Measurement& measurement : found.measurements) {
      const auto at = place(parts(measurement.name));
      if (!at) continue;
      if (std::ranges::find(rows_, at->first) == rows_.end()) rows_.push_back(at->first);
      if (std::ranges::find(columns_, at->second) == columns_.end()) columns_.push_back(at->second);
      cells_[*at] = time_text(measurement.nanoseconds.median);
    }
  }
  [[nodiscard]] std::string text(const std::string& corner) const {
    std::vector<std::vector<std::string>> table{{corner}};
    table[0].insert(table[0].end(), columns_.begin(), columns_.end());
    for (const std::string& row : rows_) {
      table.push_back({row});
      for (const std::string& column : columns_) {
        const auto cell = cells_.find({row, column});
        table.back().push_back(cell == cells_.end() ? "" : cell->second);
      }
    }
    return markdown(table);
  }

 private:
  std::vector<std::string> rows_, columns_;
  std::map<std::pair<std::string, std::string>, std::string> cells_;
};

std::string ratios_section(const Throughput& found) {
  std::vector<std::vector<std::string>> rows{{"measure", "name", "median", "quartiles", "target", ""}};
  for (const Ratio& ratio : found.ratios.ratios) {
    rows.push_back({ratio.what, "`" + ratio.name + "`", value_text(ratio), quartiles_text(ratio), target_text(ratio), verdict_text(ratio)});
  }
  std::string text = markdown(rows, 2);
  rows = {{"replica-rounds per second, one thread", "median", "quartiles", "for orientation: an AVX-512 machine when quiet"}};
  for (const Rate& rate : found.ratios.rates) {
    rows.push_back({rate.policy, report::count_text(rate.per_second.median),
                    fmt::format("{} – {}", report::count_text(rate.per_second.low), report::count_text(rate.per_second.high)),
                    "≥ " + report::count_text(rate.target)});
  }
  return text + markdown(rows);
}

double stage(const Breakdown& breakdown, std::string_view name) {
  const auto found = std::ranges::find(breakdown.nanoseconds, name, &std::pair<std::string, double>::first);
  return found == breakdown.nanoseconds.end() ? 0 : found->second;
}

/// The stages whose work the floor does too, against the floor.
std::string floor_share(const Throughput& found, const Breakdown& breakdown) {
  const std::string name = breakdown.of == "d-ucb" ? "engine_over_floor_ucb" : "engine_over_floor_klucb";
  const auto ratio = std::ranges::find(found.ratios.ratios, name, &Ratio::name);
  if (ratio == found.ratios.ratios.end() || !ratio->value) return {};
  const double shared = stage(breakdown, "index") + stage(breakdown, "draw") + stage(breakdown, "books");
  return fmt::format(
      "`{}`: {:.2f}. The stages that do what the floor does (index, draw, books) take {} of the engine's {}, {:.2f} of the "
      "floor's {}; the rest is what the floor leaves out (ties, delays, calendar, disclosure, records).\n",
      name, ratio->value->median, time_text(shared), time_text(ratio->numerator.nanoseconds), shared / ratio->denominator.nanoseconds,
      time_text(ratio->denominator.nanoseconds));
}

std::string stages_section(const Throughput& found) {
  std::vector<std::vector<std::string>> rows{{"stage"}};
  for (const Breakdown& breakdown : found.ratios.breakdowns) {
    rows[0].push_back(breakdown.of);
    for (std::size_t i = 0; i < breakdown.nanoseconds.size(); ++i) {
      if (rows.size() < i + 2) rows.push_back({breakdown.nanoseconds[i].first});
      rows[i + 1].push_back(time_text(breakdown.nanoseconds[i].second));
    }
  }
  std::string text = markdown(rows);
  text +=
      "index: the indices and the largest of them; ties: exact comparison of what the vectors cannot decide; draw: the candidates; delay: "
      "their "
      "marks and delays; calendar: filing conversions; books: pulls, ring and exposure; disclose: what is due; "
      "other: preparation and records.\n\n";
  for (const Breakdown& breakdown : found.ratios.breakdowns) {
    text += fmt::format("{}: {:.2f} % of the decisions went to the exact comparison. {}", breakdown.of, 100 * breakdown.decided_exactly,
                        floor_share(found, breakdown)) +
            "\n";
  }
  return text;
}

/// Leaps: how rarely a replica is looked at, and where the time of its rounds goes.
std::string leaps_section(const Throughput& found) {
  std::vector<std::vector<std::string>> rows{
      {"d-klucb", "rounds per look", "look", "exact decisions", "candidates", "conversions", "books", "all"}};
  for (const Breakdown& leaps : found.ratios.leaps) {
    double all = 0;
    for (const auto& [name, nanoseconds] : leaps.nanoseconds) all += nanoseconds;
    const double drawn = stage(leaps, "draw") + stage(leaps, "delay"), filed = stage(leaps, "calendar") + stage(leaps, "disclose");
    rows.push_back({leaps.of, fmt::format("{:.0f}", leaps.rounds_per_look), time_text(stage(leaps, "index")),
                    time_text(stage(leaps, "ties")), time_text(drawn), time_text(filed), time_text(stage(leaps, "books")), time_text(all)});
  }
  if (rows.size() == 1) return {};
  return "## Leaping\n\n" + markdown(rows) +
         "A stretch is the rounds between two looks, in which one arm is pulled. Times are per replica-round of the whole run, its first "
         "rounds, which are played one by one, included. look: the indices and the certificate; candidates: masks, marks and delays of the "
         "world; conversions: counting those that a stretch discloses and filing the others; books: the rest of a stretch, pulls, exposure "
         "and what was pending; all: with preparation and records.\n\n";
}

std::string index_section(const Throughput& found) {
  std::vector<std::vector<std::string>> rows{{"solver", "target", "time per index", "worst relative error"}};
  for (const Measurement& measurement : found.measurements) {
    const auto name = parts(measurement.name);
    if (name[0] != "index" || name.size() < 3) continue;
    const auto error = measurement.counters.find("worst_error");
    rows.push_back({name[1], name[2], time_text(measurement.nanoseconds.median),
                    error == measurement.counters.end() ? "" : fmt::format("{:.1e}", error->second)});
  }
  return markdown(rows, 2) +
         "S from 0 to 1000 at β = ln 10⁴. `direct` is a filter: the engine evaluates it only where S moved, and where its error could "
         "matter "
         "the exact index decides. `boost-lambert` is Boost.Math's `lambert_wm1`; `log-bisection` halves [θ̂, 1] with `std::log`, to 10⁻⁶ "
         "as "
         "pymaBandits does and to 10⁻¹⁵; `reference` is the index of the reference engine.\n\n";
}

std::string exposure_section(const Throughput& found) {
  std::string text = Grid(found, [](const std::vector<std::string>& name) -> std::optional<std::pair<std::string, std::string>> {
                       if (name[0] != "exposure" || name[4] != "K3") return std::nullopt;
                       return std::pair("m = " + name[3].substr(1), name[1] + ", " + name[2]);
                     }).text("per replica-round, K = 3");
  text += Grid(found, [](const std::vector<std::string>& name) -> std::optional<std::pair<std::string, std::string>> {
            if (name[0] != "exposure" || name[3] != "m1000" || name[2] == "scalar") return std::nullopt;
            return std::pair("K = " + name[4].substr(1), name[1] + ", " + name[2]);
          }).text("per replica-round, m = 1000");
  const auto meeting = crossover(found);
  text += meeting ? fmt::format("The recursion is the faster one from m ≈ {:.0f} on.", *meeting)
                  : std::string("The recursion is the faster one at every m measured.");
  return text +
         " A SIMD figure is the whole bookkeeping of the round with the window full; a scalar one is Ñ alone, `history` over 10⁴ "
         "rounds.\n\n";
}

std::string engine_section(const Throughput& found) {
  const auto setting = [](const std::vector<std::string>& name) { return name[1] + (name[2] == "censored" ? "" : ", uncensored"); };
  std::string text = Grid(found, [&](const std::vector<std::string>& name) -> std::optional<std::pair<std::string, std::string>> {
                       if (name[0] != "engine" || name.size() != 5 || name[4] != "K3") return std::nullopt;
                       return std::pair(setting(name), name[3]);
                     }).text("per replica-round, K = 3");
  text += Grid(found, [&](const std::vector<std::string>& name) -> std::optional<std::pair<std::string, std::string>> {
            if (name[0] != "engine" || name.size() != 5 || name[3] != found.ratios.target) return std::nullopt;
            return std::pair(setting(name), "K = " + name[4].substr(1));
          }).text("per replica-round, " + found.ratios.target);
  text += Grid(found, [&](const std::vector<std::string>& name) -> std::optional<std::pair<std::string, std::string>> {
            if (name[0] != "engine" || name.size() != 6) return std::nullopt;
            return std::pair(name[1], name[5]);
          }).text("per replica-round, " + found.ratios.target + ", K = 3");
  return text +
         "`block8` … `block128`: replicas advanced together; `newton`, `bisection`, `buffer`: the slower ways to the same decisions. "
         "`scalar` "
         "is the reference.\n\n";
}

std::string world_section(const Throughput& found) {
  return Grid(found,
              [](const std::vector<std::string>& name) -> std::optional<std::pair<std::string, std::string>> {
                if (name[0] != "world") return std::nullopt;
                return std::pair(name[1] + (name.size() > 3 ? ", μ = " + name[3].substr(2) : ""), name[2]);
              })
             .text("per item") +
         "words: one Philox 4x32-10 call of 128 bits (scalar: Random123). Of a replica-round of d-ucb: draw, its share of the candidates; "
         "delay, "
         "their marks and delays; calendar, conversions filed and disclosed.\n\n";
}

std::string scaling_section(const Throughput& found) {
  std::vector<std::vector<std::string>> rows{{"runs of d-klucb", "per replica-round"}};
  for (const Measurement& measurement : found.measurements) {
    const auto name = parts(measurement.name);
    if (name[0] != "scaling") continue;
    const std::string held = name[1] == "threads" ? "4096 replicas, T = 10⁴" : name[1] == "replicas" ? "T = 10³" : "128 replicas";
    rows.push_back(
        {fmt::format("{} = {}, {}", name[1] == "horizon" ? "T" : name[1], name[2], held), time_text(measurement.nanoseconds.median)});
  }
  return markdown(rows) +
         "One thread unless said, one recorded round. The first thousand rounds are the dearest: as long as every clamped "
         "index is 1 the arms tie, the tangents of h are renewed more often, and a block's preparation is spread over fewer "
         "rounds.\n\n";
}

std::string floor_section(const Throughput& found) {
  return Grid(found,
              [](const std::vector<std::string>& name) -> std::optional<std::pair<std::string, std::string>> {
                if (name.size() != 3 || (name[0] != "floor" && name[0] != "engine")) return std::nullopt;
                return std::pair(name[1] + (name[0] == "floor" ? ", floor" : ""), name[2]);
              })
             .text("per replica-round, K = 3") +
         "The floor is one uniform, three indices from state in L1, the largest of them and one update (bench/floor.hpp says what is in it "
         "and "
         "what is not).\n\n";
}

}  // namespace

std::optional<double> crossover(const Throughput& found) {
  std::map<double, std::pair<double, double>> by_window;  // m -> buffer, recursion
  for (const Measurement& measurement : found.measurements) {
    const auto name = parts(measurement.name);
    if (name[0] != "exposure" || name[2] != found.ratios.target || name[4] != "K3") continue;
    auto& [buffer, recursion] = by_window[std::stod(name[3].substr(1))];
    (name[1] == "buffer" ? buffer : recursion) = measurement.nanoseconds.median;
  }
  double last_window = 0, last_advantage = 0;  // ln(buffer/recursion)
  for (const auto& [window, times] : by_window) {
    if (!(times.first > 0) || !(times.second > 0)) continue;
    const double advantage = std::log(times.first / times.second);
    if (advantage > 0) {
      if (last_window == 0) return std::nullopt;
      return std::exp(std::log(last_window) + std::log(window / last_window) * -last_advantage / (advantage - last_advantage));
    }
    last_window = window, last_advantage = advantage;
  }
  return std::nullopt;
}

std::string throughput_table(const Throughput& found, const report::Style& style) {
  report::Columns columns{
      .align = {report::Align::left, report::Align::right, report::Align::right, report::Align::right, report::Align::left},
      .rows = {{"ratio", "median", "quartiles", "target", ""}},
      .highlight = {}};
  for (const Ratio& ratio : found.ratios.ratios) {
    if (ratio.met() == true) columns.highlight.push_back(columns.rows.size());
    columns.rows.push_back({ratio.name, value_text(ratio), quartiles_text(ratio), target_text(ratio), verdict_text(ratio)});
  }
  std::string text = columns.text(style) + "\n";
  for (const Rate& rate : found.ratios.rates) {
    text += style.dim(fmt::format("{}: {} replica-rounds/s on one thread ({})\n", rate.policy, report::count_text(rate.per_second.median),
                                  found.ratios.target));
  }
  return text;
}

std::string throughput_readme(const Throughput& found, std::span<const std::string> plots) {
  const auto picture = [&](const std::string& file, const std::string& title) {
    return std::ranges::find(plots, file) == plots.end() ? std::string() : fmt::format("![{}]({})\n\n", title, file);
  };
  std::string text = "# Throughput\n\n";
  text += fmt::format(
      "Written by `{}` in {} on {} ({} cores), best target {}; dbandit {}, commit {}, {}. Load average {:.2f} before and {:.2f} "
      "after.\n\n",
      found.command, report::duration_text(found.seconds), found.cpu, found.cores, found.ratios.target, report::build().version,
      report::build().commit, report::build().compiler, found.load_before, found.load_after);
  if (const std::string warning = busy_warning(found); !warning.empty()) text += fmt::format("**Warning:** {}.\n\n", warning);
  text +=
      "Each kernel is compared with the reference before it is timed. Unless said: θ = (0.1, 0.05, 0.03), geometric delays of mean 500, "
      "window "
      "m = 1000, T = 10⁴, one thread.\n\n## Ratios and targets\n\nBoth sides of a ratio are timed next to each other in every pass; median "
      "and "
      "quartiles over the passes.\n\n";
  text += ratios_section(found);
  text += "## Where the nanoseconds go\n\n" + picture("stages.svg", "Time of a replica-round by stage") + stages_section(found);
  text += leaps_section(found);
  text += "## The floor\n\n" + picture("targets.svg", "Engine and floor by target") + floor_section(found);
  text += "## One KL index\n\n" + picture("solvers.svg", "Time per KL index by solver") + index_section(found);
  text += "## The exposure\n\n" + picture("exposure.svg", "Time per round against m") + exposure_section(found);
  text += "## Whole simulations\n\n" + picture("cost.svg", "Cost against K, T and replicas") + engine_section(found);
  text += "## Threads, replicas, horizon\n\n" + picture("threads.svg", "Thread scaling") + scaling_section(found);
  text += "## The world\n\n" + world_section(found);
  text +=
      "## Files\n\n`summary.json`: every figure with its quartiles. `raw/`: what the programs printed. "
      "`instructions.txt`: instructions per replica-round by stage, by `bench/count.sh`, repeatable to the digit.\n";
  return text;
}

}  // namespace dbandit::bench
