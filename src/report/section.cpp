#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/file.hpp"
#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/model/bounds.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "model/best_arm.hpp"
#include "read_csv.hpp"
#include "read_json.hpp"
#include "report/csv.hpp"
#include "report/page.hpp"
#include "report/risk.hpp"
#include "report/stored.hpp"

namespace dbandit::report {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWhatIsAllowed = "allowed is a folder as 'dbandit run --out' writes it";

[[noreturn]] void refuse(const fs::path& file, std::string_view why) {
  throw UserError(fmt::format("'{}': {}; {}", file.string(), why, kWhatIsAllowed));
}

double number_or_nan(const Json& value) { return value.is_number() ? value.number() : std::nan(""); }

/// A curve file stands for its spec: the spec's policies, each at every recorded round. Anything less was cut short.
void check_curves(const fs::path& file, const std::vector<StoredMeasure>& measures, const sim::Spec& spec) {
  if (measures.empty()) refuse(file, "has no rows");
  for (const StoredMeasure& measure : measures) {
    if (measure.curves.size() != spec->policies.size())
      refuse(file, fmt::format("has {} policies where spec.toml has {}", measure.curves.size(), spec->policies.size()));
    for (const StoredCurve& curve : measure.curves) {
      const bool whole = std::ranges::equal(curve.mean, spec->at, {}, &StoredCurve::Mean::t, [](std::int64_t t) { return double(t); });
      if (!whole) refuse(file, fmt::format("the rounds of {} are not those of spec.toml", dbandit::quoted(curve.policy)));
      if (!curve.band.empty() && curve.band.back().t != static_cast<double>(spec->horizon))
        refuse(file.parent_path() / "band.csv", "ends before the horizon");
    }
  }
}

std::vector<PageSection::Bound> bounds(const sim::Spec& spec, const std::vector<PageSection::Policy>& policies) {
  std::vector<PageSection::Bound> all;
  for (const std::string_view setting : {"censored", "uncensored"}) {
    const model::Slopes slopes = model::slopes(spec.problem(), setting == "censored" ? spec->censor : model::Window{}, spec->epsilon);
    const auto add = [&](std::string name, double slope, std::optional<model::IndexForm> index) {
      PageSection::Bound bound{.name = std::move(name), .slope = slope, .lower = !index, .policies = {}};
      for (const PageSection::Policy& policy : policies) {
        const policy::Entry* entry = policy::find(policy.name);
        // The paper's upper bounds are for its own two policies, not for whatever shares their index.
        const bool meant = !index || (entry != nullptr && entry->index == *index && entry->statistic == model::Statistic::exposure);
        if (policy.setting == setting && meant) bound.policies.push_back(policy.name);
      }
      if (slope > 0 && std::isfinite(slope) && !bound.policies.empty()) all.push_back(std::move(bound));
    };
    add(fmt::format("lower, {}", setting), slopes.lower, std::nullopt);
    add(fmt::format("UCB, {}", setting), slopes.ucb, model::IndexForm::ucb);
    add(fmt::format("KL-UCB, {}", setting), slopes.klucb, model::IndexForm::klucb);
  }
  return all;
}

void read_summary(const fs::path& file, const sim::Spec& spec, PageSection& section) {
  const Json json = read_json(file);
  try {
    if (json.at("schema").text() != "dbandit.result.v1") refuse(file, "is something else");
    const Json& policies = json.at("policies");
    if (policies.size() != section.policies.size()) refuse(file, "has other policies than spec.toml");
    for (std::size_t p = 0; p < policies.size(); ++p) {
      const Json& policy = policies.at(p);
      const bool censored = section.policies[p].setting == "censored";
      const std::size_t best = model::best_arm(spec.problem(), censored ? spec->censor : model::Window{});
      section.policies[p].best_share = policy.at("pulls").at(best).at("mean").number() / static_cast<double>(spec->horizon);
      const Json& quantiles = policy.at("final_regret");
      for (const int percent : {10, 50, 90})
        section.policies[p].final_quantiles.emplace_back(percent, quantiles.at(fmt::format("p{}", percent)).number());
    }
    PageSection::Cell& cell = section.cells.emplace_back();
    for (const Json& pair : json.at("paired").elements()) {
      const Json& difference = pair.at("regret_difference");
      cell.pairs.push_back({.a = pair.at("a").text(),
                            .b = pair.at("b").text(),
                            .mean = number_or_nan(difference.at("mean")),
                            .low = number_or_nan(difference.at("ci95").at(0)),
                            .high = number_or_nan(difference.at("ci95").at(1))});
    }
  } catch (const Json::Error&) {
    refuse(file, "is not such a document");
  }
}

/// Finer than what the summary has.
void read_distribution(const fs::path& file, PageSection& section) {
  for (PageSection::Policy& policy : section.policies) policy.final_quantiles.clear();
  read_csv(file, kDistributionHeading, [&](const Cells& cells, const std::string& where) {
    const auto policy = std::ranges::find(section.policies, cells[0], &PageSection::Policy::name);
    if (policy == section.policies.end()) throw UserError(fmt::format("{}: {} is not in curve.csv", where, dbandit::quoted(cells[0])));
    policy->final_quantiles.emplace_back(csv_number(cells[1], where), csv_number(cells[2], where));
  });
  const auto cut_short = [](const PageSection::Policy& policy) {
    return policy.final_quantiles.empty() || policy.final_quantiles.back().first != kLastPercent;
  };
  if (std::ranges::any_of(section.policies, cut_short)) refuse(file, "has no rows for some of the policies");
}

void read_risk(const fs::path& file, PageSection& section) {
  read_csv(file, kRiskHeading, [&](const Cells& cells, const std::string& where) {
    const auto policy = std::ranges::find(section.policies, cells[0], &PageSection::Policy::name);
    if (policy == section.policies.end()) throw UserError(fmt::format("{}: {} is not in curve.csv", where, dbandit::quoted(cells[0])));
    policy->risk.push_back({std::string(cells[1]), csv_number(cells[2], where), csv_number(cells[3], where), csv_number(cells[4], where)});
  });
  const auto cut_short = [](const PageSection::Policy& policy) { return policy.risk.size() != kRiskFigures; };
  if (std::ranges::any_of(section.policies, cut_short)) refuse(file, "has no rows for some of the policies");
}

}  // namespace

std::string read_text(const fs::path& file) {
  Input input = read_input(file, kLargestStored);
  if (!input.wrong.empty()) refuse(file, input.wrong);
  return std::move(input.bytes);
}

Json read_json(const fs::path& file) {
  const std::string text = read_text(file);
  try {
    return Json::parse(text);
  } catch (const Json::TooDeep&) {
    refuse(file, "is something else");
  } catch (const Json::Error&) {
    refuse(file, "is not JSON, or was cut short");
  }
}

PageSection::Facts read_provenance(const fs::path& manifest) {
  const Json json = read_json(manifest);
  if (!json.is_object()) refuse(manifest, "is something else");
  PageSection::Facts facts;
  for (const auto& [key, value] : json.members()) {
    facts.emplace_back(key, value.is_text() ? value.text() : value.ascii());
  }
  return facts;
}

PageSection::Facts problem_facts(const sim::Spec& spec) {
  return {{"rates", fmt::format("{}", fmt::join(spec->theta, ", "))},
          {"delay", model::short_delays_text(spec->delay)},
          {"window", spec->censor ? fmt::format("{}", *spec->censor) : "none"},
          {"horizon", fmt::format("{}", spec->horizon)},
          {"replicas", fmt::format("{}", spec->replicas)},
          {"seed", fmt::format("{}", spec->seed)},
          {"epsilon", fmt::format("{}", spec->epsilon)}};
}

std::string setting_of(const sim::Spec& spec, std::string_view policy) {
  const policy::Entry* entry = policy::find(policy);
  return spec->censor && (entry == nullptr || entry->setting != policy::Setting::uncensored) ? "censored" : "uncensored";
}

/// A law that was measured has thousands of numbers: nobody types those, nor pastes them gladly.
constexpr std::size_t kLongestWord = 400;

std::string command_line(std::string_view command, const sim::Spec& spec, std::span<const std::string_view> without,
                         std::span<const std::string> more) {
  std::vector<std::string> words{"dbandit", std::string(command)};
  const std::vector<sim::Flag> flags = sim::spec_flags(spec);
  const bool is_long = std::ranges::any_of(flags, [](const sim::Flag& flag) { return flag.value.size() > kLongestWord; });
  if (is_long) words.emplace_back(kSavedSpec);
  for (const sim::Flag& flag : flags) {
    if (is_long || std::ranges::find(without, flag.key) != without.end()) continue;
    words.push_back("--" + std::string(flag.key));
    words.push_back(flag.value);
  }
  words.insert(words.end(), more.begin(), more.end());
  for (std::string& word : words) {
    const auto plain = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("_.,:=/+@%-").find(c) != std::string_view::npos;
    };
    if (!word.empty() && std::ranges::all_of(word, plain)) continue;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    word = quoted + "'";
  }
  return fmt::format("{}", fmt::join(words, " "));
}

PageSection read_section(const fs::path& folder) {
  const fs::path spec_file = folder / "spec.toml", curve_file = folder / "curve.csv";
  PageSection section;
  section.name = folder.lexically_normal().generic_string();
  if (section.name.size() > 1 && section.name.ends_with('/')) section.name.pop_back();
  section.x_name = "round";
  section.spec = read_text(spec_file);
  const sim::Spec spec(sim::read_spec_text(section.spec, spec_file.string()));
  section.problem = problem_facts(spec);
  section.slices.push_back({.name = {}, .measures = read_measures(folder)});
  check_curves(curve_file, section.slices.front().measures, spec);
  for (const StoredCurve& curve : section.slices.front().measures.front().curves) {
    section.policies.push_back({.name = curve.policy, .setting = setting_of(spec, curve.policy), .final_quantiles = {}, .best_share = {}});
  }
  section.bounds = bounds(spec, section.policies);
  read_summary(folder / "summary.json", spec, section);
  std::error_code ignored;
  if (const fs::path file = folder / "distribution.csv"; fs::exists(file, ignored)) read_distribution(file, section);
  if (const fs::path file = folder / "risk.csv"; fs::exists(file, ignored)) read_risk(file, section);
  section.provenance = read_provenance(folder / "manifest.json");
  section.command = command_line("run", spec, {}, std::vector<std::string>{"--out", "again"});
  return section;
}

}  // namespace dbandit::report
