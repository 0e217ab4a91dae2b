#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/curves.hpp"

/// The report page: stored results as one HTML file that needs no network and trusts nothing it shows.
namespace dbandit::report {

/// One result on the page: the curves of a run, or of a sweep against what it varied.
struct PageSection {
  /// Curves of one value of a sweep's second axis; everything else has one slice without a name.
  struct Slice {
    std::string name;
    std::vector<StoredMeasure> measures;
  };
  /// A slope per ln t that the theory speaks of, and the policies it speaks about.
  struct Bound {
    std::string name;
    double slope = 0;
    bool lower = false;
    std::vector<std::string> policies;
  };
  /// Final regret of a minus b in the same worlds, with its 95 % interval.
  struct Pair {
    std::string a, b;
    double mean = 0, low = 0, high = 0;
  };
  /// The pairs of a run; of a sweep, those of one cell.
  struct Cell {
    std::string name;
    std::vector<Pair> pairs;
  };
  struct RiskRow {
    std::string figure;
    double value, low, high;
  };
  struct Policy {
    std::string name;
    std::string setting;                                     ///< "censored" or "uncensored": regrets are compared within one
    std::vector<std::pair<double, double>> final_quantiles;  ///< percent of the replicas, regret not exceeded by them
    std::vector<RiskRow> risk = {};                          ///< of risk.csv; older folders have none
    std::optional<double> best_share;                        ///< of the rounds in which the best arm was played
  };
  using Facts = std::vector<std::pair<std::string, std::string>>;

  std::string name;    ///< the folder
  std::string x_name;  ///< what the horizontal axis shows
  bool time = true;    ///< whether that is rounds
  bool log = false;    ///< whether it is better shown logarithmic
  Facts problem;
  std::vector<Policy> policies;
  std::vector<Slice> slices;
  std::vector<Bound> bounds;
  std::vector<Cell> cells;
  Facts provenance;
  std::string spec;     ///< the file as it is
  std::string command;  ///< gives the same files again
};

/// Reads a folder as `dbandit run --out` writes it. Throws UserError, which names the file, when one is missing, cut short or
/// contradicts another.
PageSection read_section(const std::filesystem::path& folder);

/// Parts of a section that every kind of result has: the rates, the law, the window, …; the setting of a policy; what a
/// manifest.json says, whatever its keys; a text file of at most 100 MB.
PageSection::Facts problem_facts(const sim::Spec& spec);
std::string setting_of(const sim::Spec& spec, std::string_view policy);
PageSection::Facts read_provenance(const std::filesystem::path& manifest);
std::string read_text(const std::filesystem::path& file);
/// "dbandit run --theta …": words that a shell would not take as they are get quotes. Where a value is too long for that, the spec is to be
/// saved as a file: "dbandit run spec.toml …".
inline constexpr std::string_view kSavedSpec = "spec.toml";
std::string command_line(std::string_view command, const sim::Spec& spec, std::span<const std::string_view> without,
                         std::span<const std::string> more);

/// A piece of the page that the build put into the program; the hash is what the page's policy lets through.
struct PageAsset {
  std::string_view text;
  std::string_view sha256;  ///< hexadecimal
};
struct PageAssets {
  PageAsset chart_script, chart_style, script, style;
  std::string_view chart_licence;
  std::string_view skeleton;  ///< HTML with {{names}} where the rest goes
};
/// None: the chart library could not be had when the program was built. `kNoPage` says what to do.
const PageAssets* page_assets();
extern const std::string_view kNoPage;

/// The page. Whatever is in the sections, it can only ever be text there.
std::string page_html(std::span<const PageSection> sections, const PageAssets& assets);

}  // namespace dbandit::report
