#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "core/suggest.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/sim/result.hpp"
#include "report/figure.hpp"
#include "sim/sums.hpp"
#include "terminal.hpp"
#include "text_option.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  std::vector<std::string> folders;
  TextOption measure, out;
};

std::string measure(const TextOption& option) {
  const std::string* name = option.value();
  if (name == nullptr) return std::string(sim::kMeasures[0].name);
  std::vector<std::string_view> names;
  for (const sim::Measure& known : sim::kMeasures) names.push_back(known.name);
  if (std::ranges::find(names, *name) == names.end())
    throw UserError(
        fmt::format("--measure: {} is not one of: {}{}", dbandit::quoted(*name), fmt::join(names, " "), did_you_mean(*name, names)));
  return *name;
}

std::filesystem::path folder(const Flags& flags) {
  if (const std::string* out = flags.out.value()) return *out;
  if (flags.folders.size() > 1) throw UserError("--out: is missing; several folders are drawn into one that you name");
  const std::filesystem::path given = flags.folders.front();
  if (std::filesystem::is_directory(given)) return given;
  return given.has_parent_path() ? given.parent_path() : ".";
}

ExitCode plot(const Flags& flags) {
  if (flags.folders.empty()) throw UserError("plot: a folder with a curve.csv is missing, as in 'dbandit plot results/paper/fig1/low'");
  const std::string shown = measure(flags.measure);
  std::vector<report::StoredCurves> results;
  for (const std::string& given : flags.folders) results.push_back(report::read_curves(given, shown));
  const std::filesystem::path target = folder(flags);
  report::Directory directory(target);
  const std::string stem = shown == sim::kMeasures[0].name ? "figure" : "figure_" + shown;
  const auto complaint = report::draw(report::regret_drawing(report::regret_figure(results, shown)), target, stem);
  if (complaint) throw UserError(*complaint, ExitCode::failure);
  directory.keep();
  for (const char* extension : {".svg", ".png"}) print((target / (stem + extension)).string() + '\n');
  return ExitCode::done;
}

}  // namespace

Action declare_plot(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("DIR", flags->folders, folder(),
                   "folders with a curve.csv, as 'run --out' writes them; several are laid over each other");
  std::vector<std::string_view> measures;
  std::ranges::transform(sim::kMeasures, std::back_inserter(measures), &sim::Measure::name);
  flags->measure.declare(command, "--measure", choice(measures), "what is drawn; default regret", "Output");
  flags->out.declare(command, "--out", folder(), "where the figure goes; default: beside the curve", "Output");
  return [flags] { return plot(*flags); };
}

}  // namespace dbandit::cli
