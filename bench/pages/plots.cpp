#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "pages/throughput.hpp"

namespace dbandit::bench {
namespace {

/// Okabe and Ito's colours, which the colour-blind can tell apart.
constexpr std::string_view kBlue = "#0072b2", kOrange = "#e69f00", kGreen = "#009e73", kRed = "#d55e00", kGrey = "#999999";

std::string head(std::string_view title) {
  return fmt::format(R"(set title "{}"
set grid ytics lc rgb "#dddddd"
set border 3
set tics nomirror
set key noenhanced
set style fill solid 0.9 noborder
)",
                     title);
}

/// A text in a row of a block: in double quotes, which gnuplot does not interpret there, so that no name ends its cell or its line.
std::string cell(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += static_cast<unsigned char>(c) < ' ' || c == '"' || c == '\x7f' ? '?' : c;
  return quoted + "\"";
}

std::string block(std::string_view name, const std::string& lines) { return fmt::format("${} << EOD\n{}EOD\n", name, lines); }

const Measurement* find(const Throughput& found, const std::string& name) {
  const auto at = std::ranges::find(found.measurements, name, &Measurement::name);
  return at == found.measurements.end() ? nullptr : &*at;
}

/// "x y low high" lines of the measurements whose name is prefix + number + suffix, by rising number.
std::string curve(const Throughput& found, const std::string& prefix, const std::string& suffix = {}, double per = 0) {
  std::map<double, const Measurement*> points;
  for (const Measurement& measurement : found.measurements) {
    const std::string& name = measurement.name;
    if (!name.starts_with(prefix) || !name.ends_with(suffix) || name.size() <= prefix.size() + suffix.size()) continue;
    const std::string number = name.substr(prefix.size(), name.size() - prefix.size() - suffix.size());
    if (number.find_first_not_of("0123456789") == std::string::npos) points[std::stod(number)] = &measurement;
  }
  std::string lines;
  for (const auto& [x, point] : points) {
    const double scale = per > 0 ? x / per : 1;
    lines +=
        fmt::format("{} {} {} {}\n", x, point->nanoseconds.median / scale, point->nanoseconds.low / scale, point->nanoseconds.high / scale);
  }
  return lines;
}

std::string line_with_points(std::string_view data, std::string_view color, std::string_view title) {
  return fmt::format(
      R"(${0} using 1:2 with lines lw 2 lc rgb "{1}" title {2}, ${0} using 1:2:3:4 with yerrorbars pt 7 ps 0.6 lc rgb "{1}" notitle)", data,
      color, report::plot_text(title));
}

Plot exposure(const Throughput& found) {
  const std::string target = found.ratios.target;
  std::string script = head("Exposure: time per replica-round against the window, K = 3");
  script += block("buffer", curve(found, "exposure/buffer/" + target + "/m", "/K3"));
  script += block("recursion", curve(found, "exposure/recursion/" + target + "/m", "/K3"));
  script += block("scalar", curve(found, "exposure/buffer/scalar/m", "/K3"));
  script += R"(set logscale xy
set format xy "%.0s%c"
set xlabel "window m, rounds"
set ylabel "ns per replica-round"
set key top left
)";
  if (const auto m = crossover(found)) {
    script += fmt::format(
        "set arrow from {0}, graph 0 to {0}, graph 1 nohead dt 2 lc rgb \"{1}\"\n"
        "set label \"they meet at m ≈ {0:.0f}\" at {0}, graph 0.06 offset 0.8,0 tc rgb \"#555555\"\n",
        *m, kGrey);
  }
  script +=
      fmt::format("plot {}, {}, {}\n", line_with_points("scalar", kGrey, "buffer, scalar reference"),
                  line_with_points("buffer", kOrange, "buffer, " + target), line_with_points("recursion", kBlue, "recursion, " + target));
  return {"exposure", {script, 800, 480}};
}

Plot solvers(const Throughput& found) {
  std::string lines, tics;
  int bar = 0;
  for (const Measurement& measurement : found.measurements) {
    if (!measurement.name.starts_with("index/")) continue;
    const auto slash = measurement.name.rfind('/');
    const std::string solver = measurement.name.substr(6, slash - 6), target = measurement.name.substr(slash + 1);
    const auto error = measurement.counters.find("worst_error");
    lines += fmt::format("{} {} {} \"{:.{}f}\"\n", bar, measurement.nanoseconds.median,
                         target == "scalar"              ? 0x999999
                         : target == found.ratios.target ? 0x0072b2
                                                         : 0xe69f00,
                         measurement.nanoseconds.median, measurement.nanoseconds.median < 100 ? 1 : 0);
    const double worst = error == measurement.counters.end() ? 0 : error->second;
    tics +=
        fmt::format("{}{} {}", bar == 0 ? "" : ", ", report::plot_text(fmt::format("{} ({}), error {:.0e}", solver, target, worst)), bar);
    ++bar;
  }
  std::string script = head("One Poisson KL index");
  script += block("bars", lines);
  script += fmt::format(R"(set logscale x
set xlabel "ns per index; error: the worst, relative"
set ytics ({}) noenhanced
unset grid
set grid xtics lc rgb "#dddddd"
set yrange [{}:-0.7]
set xrange [0.5:*]
unset key
plot $bars using (sqrt($2*0.5)):1:(0.5):2:($1-0.36):($1+0.36):3 with boxxyerror lc rgb variable, $bars using 2:1:4 with labels left offset 0.6,0 notitle
)",
                        tics, bar - 0.3);
  return {"solvers", {script, 860, 100 + 34 * std::max(bar, 4)}};
}

Plot targets(const Throughput& found) {
  std::vector<std::string> names;
  for (const Measurement& measurement : found.measurements) {
    if (measurement.name.starts_with("floor/d-ucb/")) names.push_back(measurement.name.substr(12));
  }
  const auto row = [&](const std::string& label, const std::string& kind, const std::string& policy) {
    if (names.empty()) return std::string();
    std::string line = cell(label);
    for (const std::string& target : names) {
      const Measurement* measurement = find(found, fmt::format("{}/{}/{}", kind, policy, target));
      line += measurement == nullptr ? " NaN" : fmt::format(" {}", measurement->nanoseconds.median);
    }
    return line + "\n";
  };
  std::string script = head("A replica-round on each instruction set, K = 3, one thread");
  script += block("bars", row("d-ucb", "engine", "d-ucb") + row("floor of d-ucb", "floor", "d-ucb") + row("d-klucb", "engine", "d-klucb") +
                              row("floor of d-klucb", "floor", "d-klucb"));
  script += R"(set ylabel "ns per replica-round"
set yrange [0:*]
set offsets 0,0,graph 0.08,0
set style data histogram
set style histogram clustered gap 1
set boxwidth 0.9
set key top right
plot )";
  constexpr std::string_view colors[] = {kBlue, kOrange, kGreen};
  const auto count = static_cast<double>(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto column = i + 2;
    const double offset = (static_cast<double>(i) - (count - 1) / 2) / (count + 1);
    script += fmt::format(
        R"({0}$bars using {1}:xtic(1) lc rgb "{2}" title {3}, $bars using ($0+({4})):{1}:(sprintf("%.1f",${1})) with labels offset 0,0.7 notitle)",
        i == 0 ? "" : ", ", column, colors[i % 3], report::plot_text(names[i]), offset);
  }
  return {"targets", {script + "\n", 800, 480}};
}

Plot threads(const Throughput& found) {
  const Measurement* one = find(found, "scaling/threads/1");
  std::string script = head("Whole runs of d-klucb: speed against threads");
  script += block("runs", curve(found, "scaling/threads/"));
  script += fmt::format(R"(base = {}
set xlabel "threads"
set ylabel "speed, 1 thread = 1"
set key top left
set yrange [0:*]
set offsets 0.2,0.2,graph 0.1,0
set xtics 1
plot $runs using 1:1 with lines dt 2 lc rgb "{}" title "ideal", $runs using 1:(base/$2) with linespoints lw 2 pt 7 lc rgb "{}" title "measured", $runs using 1:(base/$2):(sprintf("%.2f",base/$2)) with labels offset 0,-1.2 notitle
)",
                        one == nullptr ? 1 : one->nanoseconds.median, kGrey, kBlue);
  return {"threads", {script, 640, 440}};
}

Plot cost(const Throughput& found) {
  const std::string target = found.ratios.target;
  std::string script = head("");
  script += block("klucb", curve(found, "engine/d-klucb/censored/" + target + "/K", "", 1));
  script += block("ucb", curve(found, "engine/d-ucb/censored/" + target + "/K", "", 1));
  script += block("horizon", curve(found, "scaling/horizon/"));
  script += block("replicas", curve(found, "scaling/replicas/"));
  script +=
      fmt::format(R"(set multiplot layout 1,2
set logscale x
set yrange [0:*]
set offsets graph 0.02,graph 0.02,graph 0.25,0
set key top right
set title "Against the number of arms"
set xlabel "arms K"
set xtics (2,3,10,30,100)
set ylabel "ns per arm, replica and round"
plot {}, {}
set title "Against rounds and replicas, d-klucb, K = 3"
set xtics auto
set format x "%.0s%c"
set xlabel "horizon T, or replicas"
set ylabel "ns per replica-round"
plot {}, {}
unset multiplot
)",
                  line_with_points("klucb", kBlue, "d-klucb"), line_with_points("ucb", kOrange, "d-ucb"),
                  line_with_points("horizon", kBlue, "T, of 128 replicas"), line_with_points("replicas", kOrange, "replicas, of T = 1000"));
  return {"cost", {script, 1000, 460}};
}

/// The floor that a policy's engine is measured against, in ns; 0: not measured.
double floor_of(const Throughput& found, const std::string& policy) {
  const std::string name = "engine_over_floor_" + policy.substr(policy.rfind('-') + 1);
  const auto at = std::ranges::find(found.ratios.ratios, name, &Ratio::name);
  return at == found.ratios.ratios.end() ? 0 : at->denominator.nanoseconds;
}

Plot stages(const Throughput& found) {
  std::string lines, labels, script = head("Where the nanoseconds of a replica-round go, K = 3, one thread");
  const auto label = [&](std::size_t bar, double low, double height) {
    if (height >= 0.35) labels += fmt::format("set label \"{:.1f}\" at {},{} center front\n", height, bar, low + height / 2);
  };
  std::vector<std::string> names;
  std::size_t bar = 0;
  for (const Breakdown& breakdown : found.ratios.breakdowns) {
    std::string zeros;
    double sum = 0;
    lines += cell(breakdown.of);
    names.clear();
    for (const auto& [stage, nanoseconds] : breakdown.nanoseconds) {
      lines += fmt::format(" {}", nanoseconds);
      label(bar, sum, nanoseconds);
      sum += nanoseconds;
      zeros += " 0";
      names.push_back(stage);
    }
    const double floor = floor_of(found, breakdown.of);
    lines += fmt::format(" 0\n{}{} {}\n", cell("floor of " + breakdown.of), zeros, floor);
    label(bar + 1, 0, floor);
    bar += 2;
  }
  names.emplace_back("floor");
  script += block("bars", lines) + labels;
  script += fmt::format(R"(set ylabel "ns per replica-round"
set style data histogram
set style histogram rowstacked
set boxwidth 0.6
set yrange [0:*]
set xrange [-0.6:{}]
set offsets 0,0,graph 0.05,0
set key outside right top reverse Left invert
plot )",
                        static_cast<double>(bar) - 0.4);
  constexpr std::string_view colors[] = {"#56b4e9", kRed, "#9ad0f0", "#cc79a7", kOrange, kGreen, "#f0e442", kGrey, "#dddddd"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    script += fmt::format(R"({}$bars using {}:xtic(1) lc rgb "{}" title {})", i == 0 ? "" : ", ", i + 2, colors[i % std::size(colors)],
                          report::plot_text(names[i]));
  }
  return {"stages", {script + "\n", 900, 500}};
}

}  // namespace

std::vector<Plot> throughput_plots(const Throughput& found) {
  std::vector<Plot> plots{stages(found), targets(found), solvers(found), exposure(found), cost(found), threads(found)};
  std::erase_if(plots, [](const Plot& plot) { return plot.drawing.script.find("<< EOD\nEOD") != std::string::npos; });  // nothing to draw
  return plots;
}

}  // namespace dbandit::bench
