#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/report/directory.hpp"
#include "dbandit/sim/result.hpp"
#include "report/figure.hpp"
#include "sim/sums.hpp"
#include "study/slopes.hpp"
#include "study/sweep.hpp"
#include "terminal.hpp"
#include "text_option.hpp"

namespace dbandit::cli {
namespace {

struct Flags {
  std::vector<std::string> folders;
  TextOption measure, out, x, policies, labels, title, size;
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

/// A folder, or one file whose extension says what is drawn.
struct Target {
  std::filesystem::path folder;
  std::string stem;
  std::vector<std::string_view> extensions;
};

Target target(const Flags& flags, const std::string& measure) {
  const auto all = report::figure_extensions();
  Target target{
      .folder = {}, .stem = measure == sim::kMeasures[0].name ? "figure" : "figure_" + measure, .extensions = {all.begin(), all.end()}};
  if (const std::string* out = flags.out.value()) {
    const std::filesystem::path path = *out;
    const std::string extension = path.has_extension() ? path.extension().string().substr(1) : "";
    const auto known = std::ranges::find(all, extension);
    if (known == all.end()) {
      constexpr auto kOtherPictures = std::to_array<std::string_view>({"gif", "jpg", "jpeg", "eps", "ps", "tif", "tiff", "webp", "bmp"});
      if (std::ranges::find(kOtherPictures, extension) != kOtherPictures.end()) {
        throw UserError(fmt::format("--out: {} cannot be drawn; allowed is a folder, or a file that ends with one of: .{}",
                                    dbandit::quoted(*out), fmt::join(all, " .")));
      }
      target.folder = path;
    } else {
      target = {path.has_parent_path() ? path.parent_path() : ".", path.stem().string(), {*known}};
    }
    return target;
  }
  if (flags.folders.size() > 1)
    throw UserError("--out: is missing; several folders are drawn into a folder or a file (both.png) that you name");
  const std::filesystem::path given = flags.folders.front();
  target.folder = std::filesystem::is_directory(given) ? given : given.has_parent_path() ? given.parent_path() : ".";
  return target;
}

report::FigureLook look(const Flags& flags) {
  report::FigureLook look;
  if (const std::string* x = flags.x.value()) {
    using Time = report::FigureLook::Time;
    if (*x != "both" && *x != "linear" && *x != "log")
      throw UserError(fmt::format("--x: {} is not one of: both linear log", dbandit::quoted(*x)));
    look.time = *x == "linear" ? Time::linear : *x == "log" ? Time::logarithmic : Time::both;
  }
  if (const std::string* policies = flags.policies.value()) {
    for (const std::string_view policy : split(*policies, ',')) look.policies.emplace_back(trimmed(policy));
  }
  if (const std::string* labels = flags.labels.value()) {
    for (const std::string_view pair : split(*labels, ';')) {
      const std::size_t is = pair.find('=');
      if (is == std::string_view::npos) {
        throw UserError(fmt::format("--labels: {} is not POLICY=WORDS, several with ; between them", dbandit::quoted(pair)));
      }
      look.labels.emplace(trimmed(pair.substr(0, is)), trimmed(pair.substr(is + 1)));
    }
  }
  if (const std::string* title = flags.title.value()) look.title = *title;
  if (const std::string* size = flags.size.value()) {
    const std::size_t by = size->find('x');
    const std::string_view text = *size;
    const auto width = parse_number<int>(text.substr(0, by)),
               height = by == std::string::npos ? std::nullopt : parse_number<int>(text.substr(by + 1));
    constexpr int kLeast = 300, kMost = 10'000;
    if (!width || !height || std::min(*width, *height) < kLeast || std::max(*width, *height) > kMost) {
      throw UserError(
          fmt::format("--size: {} is not WIDTHxHEIGHT in pixels from {} to {}, as in 1280x720", dbandit::quoted(*size), kLeast, kMost));
    }
    look.width = *width, look.height = *height;
  }
  return look;
}

/// The figure of a study's folder, from its tables: that of `dbandit sweep` or `dbandit slopes`. None: there are curves in it.
std::optional<report::Drawing> study_drawing(const Flags& flags) {
  const auto holds = [&](const char* table) {
    std::error_code ignored;
    return std::ranges::any_of(flags.folders,
                               [&](const std::filesystem::path& given) { return std::filesystem::exists(given / table, ignored); });
  };
  const bool is_sweep = holds("sweep.csv");
  if (!is_sweep && !holds("slopes.csv")) return std::nullopt;
  if (flags.folders.size() > 1) throw UserError("plot: a study is drawn by itself; give one folder");
  for (const auto& [name, option] :
       {std::pair("--measure", &flags.measure), std::pair("--policies", &flags.policies), std::pair("--labels", &flags.labels),
        std::pair("--title", &flags.title), std::pair("--size", &flags.size)}) {
    if (option->value() != nullptr) throw UserError(fmt::format("{}: is for curves over time; of a study --x and --out can be said", name));
  }
  const std::string& folder = flags.folders.front();
  if (!is_sweep) return study::slopes_drawing(study::read_growth_lines(folder));
  using Time = report::FigureLook::Time;
  const Time axis = look(flags).time;
  return study::sweep_drawing(study::read_sweep(folder), axis == Time::both ? std::nullopt : std::optional(axis == Time::logarithmic));
}

ExitCode plot(const Flags& flags) {
  if (flags.folders.empty()) throw UserError("plot: a folder with a curve.csv is missing, as in 'dbandit plot results/paper/fig1/low'");
  const std::string shown = measure(flags.measure);
  const auto [folder, stem, extensions] = target(flags, shown);
  const report::FigureLook wanted = look(flags);
  std::optional<report::Drawing> drawing = study_drawing(flags);
  if (!drawing) {
    std::vector<report::StoredCurves> results;
    for (const std::string& given : flags.folders) results.push_back(report::read_curves(given, shown));
    drawing = report::regret_drawing(report::regret_figure(results, shown, wanted), wanted);
  }
  report::Directory directory(folder);
  if (const auto complaint = report::draw(*drawing, folder, stem, extensions)) throw UserError(*complaint, ExitCode::failure);
  directory.keep();
  for (const std::string_view extension : extensions) print(fmt::format("{}.{}\n", (folder / stem).string(), extension));
  return ExitCode::done;
}

}  // namespace

Action declare_plot(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("DIR", flags->folders, folder(),
                   "folders with a curve.csv, as 'run --out' writes them; several are laid over each other; or one of 'sweep' or 'slopes'");
  std::vector<std::string_view> measures;
  std::ranges::transform(sim::kMeasures, std::back_inserter(measures), &sim::Measure::name);
  flags->measure.declare(command, "--measure", choice(measures), "what is drawn; default regret", "Output");
  flags->out.declare(command, "--out", folder(), "where the figure goes: a folder, or a file (both.png); default: beside the curve",
                     "Output");
  flags->x.declare(command, "--x", choice({"both", "linear", "log"}),
                   "the axis of time, default both, side by side; of a sweep what varied, default as its values are", "Look");
  flags->policies.declare(command, "--policies", "ID,ID,...", "only these, in this order; default all", "Look");
  flags->labels.declare(command, "--labels", "ID=WORDS;...", "what policies are called in the key; default their ids", "Look");
  flags->title.declare(command, "--title", "WORDS", "instead of the problem", "Look");
  flags->size.declare(command, "--size", "WxH", "in pixels, as in 1280x720; default what is shown needs", "Look");
  return [flags] { return plot(*flags); };
}

}  // namespace dbandit::cli
