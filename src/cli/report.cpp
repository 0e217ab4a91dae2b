#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "dbandit/report/directory.hpp"
#include "page.hpp"
#include "report/page.hpp"
#include "study/league.hpp"
#include "study/sweep.hpp"
#include "terminal.hpp"
#include "text_option.hpp"

namespace dbandit::cli {
namespace {

namespace fs = std::filesystem;

const report::PageAssets& assets() {
  const report::PageAssets* const found = report::page_assets();
  if (found == nullptr) throw UserError(fmt::format("report: {}", report::kNoPage), ExitCode::failure);
  return *found;
}

/// One part of the page; two for a league.
std::vector<report::PageSection> sections_of(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw UserError(fmt::format("'{}': is not a folder; allowed are folders of results", folder.string()));
  if (fs::exists(folder / "league.csv", ignored)) return study::read_league_sections(folder);
  return {fs::exists(folder / "sweep.csv", ignored) ? study::read_sweep_section(folder) : report::read_section(folder)};
}

struct Flags {
  std::vector<std::string> folders;
  TextOption out;
};

ExitCode report_page(const Flags& flags) {
  assets();
  if (flags.folders.empty()) throw UserError("report: a folder with results is missing, as in 'dbandit report results/paper/fig1/low'");
  const std::vector<fs::path> folders(flags.folders.begin(), flags.folders.end());
  const std::string* const out = flags.out.value();
  const fs::path file = out != nullptr ? fs::path(*out) : folders.size() == 1 ? folders.front() / "report.html" : fs::path("report.html");
  write_page(folders, file);
  print(file.string() + '\n');
  return ExitCode::done;
}

}  // namespace

void write_page(std::span<const fs::path> folders, const fs::path& file) {
  if (!file.has_filename()) throw UserError(fmt::format("-o: '{}' is not the name of a file", file.string()));
  std::vector<report::PageSection> sections;
  for (const fs::path& folder : folders) {
    for (report::PageSection& section : sections_of(folder)) sections.push_back(std::move(section));
  }
  report::Directory directory(file.has_parent_path() ? file.parent_path() : fs::path("."));
  directory.write(std::vector<report::File>{{file.filename().string(), report::page_html(sections, assets())}});
}

void ReportFlag::declare(Usage& command) {
  command.flag("--report", given_, "write report.html too: one page with charts, tables and provenance, for a browser", "Output");
}

void ReportFlag::check() const {
  if (given_) assets();
}

std::string ReportFlag::write(std::span<const fs::path> folders, const fs::path& where) const {
  if (!given_) return {};
  const fs::path file = where / "report.html";
  write_page(folders, file);
  return file.string() + '\n';
}

Action declare_report(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("DIR", flags->folders, folder(), "folders of results, as 'run --out', 'reproduce', 'sweep' and 'league' write them");
  flags->out.declare(command, "-o,--out", file("FILE"), "the page; default report.html, in the folder when there is one", "Output");
  return [flags] { return report_page(*flags); };
}

}  // namespace dbandit::cli
