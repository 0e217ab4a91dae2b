#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/text.hpp"
#include "dbandit/report/manifest.hpp"
#include "report/json_value.hpp"
#include "study/claims.hpp"

namespace dbandit::study {
namespace {

using report::Json;

std::string reproduce_command(const Claim& claim, const Evidence& evidence) {
  return fmt::format("dbandit claims {}{}{}", claim.id, evidence.effort == Effort::quick ? " --quick" : "",
                     evidence.seed != 1 ? fmt::format(" --seed {}", evidence.seed) : "");
}

/// A cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// What was expected instead.
std::string unexpected(const Judged& row) {
  return row.finding.against ? "the trend is against it" : fmt::format("expected: {}", name_of(row.claim->expected));
}

std::vector<const sim::Result*> used_runs(std::span<const Judged> judged, const Evidence& evidence, std::vector<std::string>& names) {
  std::set<std::string> used;
  for (const Judged& row : judged) used.insert(row.claim->runs.begin(), row.claim->runs.end());
  std::vector<const sim::Result*> results;
  for (const NamedRun& run : named_runs()) {
    if (!used.contains(run.name)) continue;
    names.push_back(run.name);
    results.push_back(&evidence.run(run.name));
  }
  return results;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  constexpr std::array<std::string_view, kVerdicts> names{"holds", "holds only for", "fails", "undecided: intervals too wide",
                                                          "undecided at any horizon we can run"};
  return names[static_cast<std::size_t>(verdict)];
}

std::string verdict_text(const Finding& finding) {
  const std::string_view name = name_of(finding.verdict);
  switch (finding.verdict) {
    case Verdict::partly:
      return fmt::format("{} {}", name, finding.scope);
    case Verdict::open:
      return fmt::format("{}: {}", name, finding.scope);
    case Verdict::holds:
    case Verdict::fails:
    case Verdict::undecided:
      break;
  }
  return std::string(name);
}

std::string verdict_text(const Judged& judged) {
  return verdict_text(judged.finding) + (judged.claim->kind == Kind::definition ? " (by definition)" : "");
}

std::string tally(std::span<const Judged> judged) {
  constexpr std::array<std::string_view, kVerdicts> plural{"hold", "hold only for some cases", "fail", "are undecided: intervals too wide",
                                                           "are undecided at any horizon we can run"};
  constexpr std::array<std::string_view, kVerdicts> singular{"holds", "holds only for some cases", "fails",
                                                             "is undecided: intervals too wide", "is undecided at any horizon we can run"};
  std::string words = counted(judged.size(), "claim") + ":";
  const char* separator = " ";
  for (const Verdict verdict : {Verdict::holds, Verdict::partly, Verdict::fails, Verdict::open, Verdict::undecided}) {
    const auto with = [&](const Judged& row) { return row.finding.verdict == verdict; };
    const auto count = std::ranges::count_if(judged, with);
    if (count == 0) continue;
    words += fmt::format("{}{} {}", separator, count, (count == 1 ? singular : plural)[static_cast<std::size_t>(verdict)]);
    const auto defined = std::ranges::count_if(judged, [&](const Judged& row) { return with(row) && row.claim->kind == Kind::definition; });
    if (defined > 0) words += count == 1 ? " (by definition)" : fmt::format(" ({} of them by definition)", defined);
    separator = ", ";
  }
  return words;
}

std::string measured_text(const Finding& finding) {
  std::string words;
  for (const Quantity& quantity : finding.measured) {
    words += fmt::format("{}{}: {}", words.empty() ? "" : "; ", quantity.what, text(quantity.value, quantity.unit));
  }
  return words;
}

std::string claims_markdown(std::span<const Judged> judged, const Evidence& evidence) {
  const auto changed = std::ranges::count_if(judged, &Judged::changed);
  std::string page = fmt::format(
      "# What the paper says, measured\n\n"
      "Written by `dbandit claims{}`; do not edit. {}; {}.\n\n"
      "Brackets are 95 % intervals; a number without one was computed, not sampled. Differences, ratios and growths of policies in one run "
      "are\n"
      "paired: every policy meets the same worlds, and growth is that of each replica. Between runs half-widths add as they are, which "
      "covers\n"
      "whatever their correlation. A verdict is given only where whole intervals are on one side of the criterion. Words without a number "
      "mean\n"
      "the same everywhere: much and clearly are by half or more, not negligible is by a fifth or more, not significant and little are by "
      "less\n"
      "than that, well is within a quarter, at no cost within a twentieth. A theorem about a limit is never decided by a finite horizon: "
      "its\n"
      "verdict is the trend. By definition: it checks this program, not the paper. Where nothing else is said, delays are geometric with "
      "mean μ = 500, the window is m = 1000, T = 10 000 and rates are 0.1, 0.05, 0.03. Which sentence "
      "of\n"
      "the paper is which claim, and which are none: `docs/claims.md`.\n\n",
      evidence.effort == Effort::quick ? " --quick" : "", tally(judged),
      changed == 0 ? std::string("every verdict as expected") : fmt::format("{} of the verdicts not as expected", changed));
  if (evidence.effort == Effort::quick) page += "**A quick version: few replicas, wide intervals.**\n\n";
  page += "| claim | where | criterion | measured | verdict | command |\n|---|---|---|---|---|---|\n";
  for (const Judged& row : judged) {
    const Claim& claim = *row.claim;
    page += fmt::format("| {} | {} | {} | {} | **{}**{} | `{}` |\n", cell(claim.sentence), cell(claim.source), cell(claim.criterion),
                        cell(measured_text(row.finding)), cell(verdict_text(row)),
                        row.changed() ? fmt::format(" ({})", unexpected(row)) : "", reproduce_command(claim, evidence));
  }
  std::vector<std::string> names;
  const auto results = used_runs(judged, evidence, names);
  if (results.empty()) return page;
  page += "\n## The runs behind them\n\n| run | used by | command |\n|---|---|---|\n";
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<std::string> users;
    for (const Judged& row : judged) {
      if (std::ranges::find(row.claim->runs, names[i]) != row.claim->runs.end()) users.push_back(row.claim->id);
    }
    page += fmt::format("| {} | {} | `{}` |\n", names[i], fmt::join(users, ", "), command(results[i]->spec));
  }
  return page;
}

std::string claims_json(std::span<const Judged> judged, const Evidence& evidence) {
  Json json{{"schema", "dbandit.claims.v1"},
            {"effort", evidence.effort == Effort::quick ? "quick" : "full"},
            {"seed", evidence.seed},
            {"claims", Json::array()}};
  for (const Judged& row : judged) {
    Json measured = Json::array();
    for (const Quantity& quantity : row.finding.measured) {
      measured.push_back({{"what", quantity.what},
                          {"value", quantity.value.value},
                          {"ci95", {quantity.value.low, quantity.value.high}},
                          {"unit", quantity.unit}});
    }
    json["claims"].push_back({{"id", row.claim->id},
                              {"source", row.claim->source},
                              {"sentence", row.claim->sentence},
                              {"criterion", row.claim->criterion},
                              {"verdict", name_of(row.finding.verdict)},
                              {"by_definition", row.claim->kind == Kind::definition},
                              {"scope", row.finding.scope},
                              {"trend_against", row.finding.against},
                              {"expected", name_of(row.claim->expected)},
                              {"measured", std::move(measured)},
                              {"runs", row.claim->runs},
                              {"command", reproduce_command(*row.claim, evidence)}});
  }
  std::vector<std::string> names;
  const auto results = used_runs(judged, evidence, names);
  json["runs"] = Json::object();
  for (std::size_t i = 0; i < results.size(); ++i) json["runs"][names[i]] = command(results[i]->spec);
  return json.dump(1) + '\n';
}

std::string claim_list_json() {
  Json json{{"schema", "dbandit.claims.v1"}, {"claims", Json::array()}};
  for (const Claim& claim : claims()) json["claims"].push_back({{"id", claim.id}, {"source", claim.source}, {"sentence", claim.sentence}});
  return json.dump() + '\n';
}

std::string claims_table(std::span<const Judged> judged, const report::Style& style) {
  std::string page;
  for (const Judged& row : judged) {
    page += fmt::format("{}  {}\n", style.bold(row.claim->id), style.dim(row.claim->source));
    page += fmt::format("  {}\n  {}\n", row.claim->sentence, style.dim("criterion: " + row.claim->criterion));
    for (const Quantity& quantity : row.finding.measured)
      page += fmt::format("    {}: {}\n", quantity.what, text(quantity.value, quantity.unit));
    const std::string verdict = verdict_text(row);
    page += fmt::format("  → {}{}\n", row.changed() ? style.bold(verdict) : style.good(verdict),
                        row.changed() ? "  CHANGED, " + unexpected(row) : "");
  }
  return page + "\n" + tally(judged) + "\n";
}

}  // namespace dbandit::study
