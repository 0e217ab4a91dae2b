#include "study/compare.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "dbandit/sim/spec_file.hpp"
#include "report/json_value.hpp"
#include "report/table.hpp"
#include "sim/keys.hpp"
#include "sim/paired.hpp"

namespace dbandit::study {
namespace {

using report::Json;

std::vector<Setting> differing(const sim::Spec& a, const sim::Spec& b) {
  std::vector<Setting> settings;
  for (const std::string_view key : sim::key_names()) {
    const std::string of_a = sim::key_text(*a, key), of_b = sim::key_text(*b, key);
    if (of_a != of_b) settings.push_back({std::string(key), of_a, of_b});
  }
  return settings;
}

std::string shortened(const std::string& text) {
  constexpr std::size_t longest = 40;
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

std::string signed_text(const Interval& difference) {
  const double half = (difference.high - difference.low) / 2;
  const int digits = half > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(half))), 0, 6) : 2;
  return fmt::format("{:+.{}f} ± {:.{}f}", difference.value, digits, half, digits);
}

std::string verdict(const PolicyChange& change, double threshold) {
  if (change.difference.low == 0 && change.difference.high == 0) return "the same";
  if (change.regressed(threshold)) return "worse";
  if (change.difference.low > 0) return "worse, within the threshold";
  return change.difference.high < 0 ? "better" : "within chance";
}

std::string speed_text(const report::StoredResult& a, const report::StoredResult& b) {
  if (!a.manifest || !b.manifest) return "speed: not compared, a manifest.json is missing";
  const report::Manifest &of_a = *a.manifest, &of_b = *b.manifest;
  const double then = of_a.replica_rounds_per_second(), now = of_b.replica_rounds_per_second();
  std::string text = fmt::format("speed: {}/s and {}/s", report::count_text(then), report::count_text(now));
  if (then > 0) text += fmt::format(", B is {:.2f} times A", now / then);
  if (of_a.cpu != of_b.cpu || of_a.threads != of_b.threads || of_a.target != of_b.target) text += ", on unlike machines or threads";
  return text + "; one measurement each has no spread to judge it by: 'dbandit bench --against' does";
}

}  // namespace

Interval welch(const stats::Moments& a, const stats::Moments& b) {
  const double of_a = a.standard_error() * a.standard_error(), of_b = b.standard_error() * b.standard_error(), both = of_a + of_b;
  if (both == 0) return exactly(b.mean - a.mean);
  const double freedom = both * both / (of_a * of_a / (a.count - 1) + of_b * of_b / (b.count - 1));
  const stats::Moments difference{.count = freedom + 1, .mean = b.mean - a.mean, .variance = both * (freedom + 1)};
  return interval_of(difference);
}

Comparison compare(const report::StoredResult& a, const report::StoredResult& b) {
  Comparison comparison;
  comparison.settings = differing(a.spec, b.spec);
  const auto find = [](const report::StoredResult& in, const std::string& id) {
    return std::ranges::find(in.policies, id, &report::StoredResult::Policy::id);
  };
  bool same_numbers = comparison.settings.empty();
  for (const auto& of_a : a.policies) {
    const auto of_b = find(b, of_a.id);
    if (of_b == b.policies.end()) {
      comparison.only_a.push_back(of_a.id);
      continue;
    }
    same_numbers = same_numbers && of_a.regret.mean == of_b->regret.mean && of_a.regret.variance == of_b->regret.variance;
    comparison.policies.push_back({of_a.id, of_a.regret, of_b->regret, welch(of_a.regret, of_b->regret)});
  }
  for (const auto& of_b : b.policies) {
    if (find(a, of_b.id) == a.policies.end()) comparison.only_b.push_back(of_b.id);
  }
  comparison.pairable = sim::same_worlds(a.spec, b.spec) && a.spec->horizon == b.spec->horizon;
  comparison.identical = same_numbers;
  if (same_numbers) {  // one spec, one world, one outcome: every replica's difference is zero
    comparison.method = Method::paired;
    for (PolicyChange& change : comparison.policies) change.difference = exactly(0);
  }
  return comparison;
}

void pair_by_rerun(Comparison& comparison, const sim::Spec& a, const sim::Spec& b, const sim::RunOptions& options) {
  std::vector<sim::Policy> both;
  for (const PolicyChange& change : comparison.policies) both.push_back(*std::ranges::find(a->policies, change.policy, &sim::Policy::id));
  const std::vector<stats::Moments> differences = sim::paired_differences(a, b, both, options);
  for (std::size_t i = 0; i < both.size(); ++i) comparison.policies[i].difference = interval_of(differences[i]);
  comparison.method = Method::paired;
}

std::string comparison_text(const Comparison& comparison, const report::StoredResult& a, const report::StoredResult& b, double threshold,
                            const report::Style& style) {
  using enum report::Align;
  const auto origin = [](const report::StoredResult& result) {
    return result.manifest ? fmt::format("{}, commit {}, {}, {}", result.manifest->build.version, result.manifest->build.commit,
                                         result.manifest->target, counted(result.manifest->threads, "thread"))
                           : "no manifest.json";
  };
  std::string text =
      style.dim(fmt::format("A  {}  ({})\nB  {}  ({})", a.folder.string(), origin(a), b.folder.string(), origin(b))) + "\n\n";
  if (comparison.settings.empty()) {
    text += "settings: the same\n";
  } else {
    report::Columns settings{.align = {left, left, left}, .rows = {{"setting", "A", "B"}}, .highlight = {}};
    for (const Setting& s : comparison.settings) settings.rows.push_back({s.key, shortened(s.a), shortened(s.b)});
    text += settings.text(style);
  }
  text += "\n";
  if (!comparison.policies.empty()) {
    report::Columns policies{
        .align = {left, right, right, right, left}, .rows = {{"policy", "regret in A", "regret in B", "B − A", "B is"}}, .highlight = {}};
    for (const PolicyChange& change : comparison.policies) {
      if (!change.regressed(threshold)) policies.highlight.push_back(policies.rows.size());
      policies.rows.push_back({change.policy, report::mean_text(change.a), report::mean_text(change.b), signed_text(change.difference),
                               verdict(change, threshold)});
    }
    text += policies.text(style);
  }
  if (!comparison.only_a.empty()) text += fmt::format("only in A: {}\n", fmt::join(comparison.only_a, ", "));
  if (!comparison.only_b.empty()) text += fmt::format("only in B: {}\n", fmt::join(comparison.only_b, ", "));
  std::string notes = "\nB − A: final regret, 95 % interval, ";
  if (comparison.identical) {
    notes += "zero on every replica: the same spec and the same numbers";
  } else if (comparison.method == Method::paired) {
    notes += "paired: both simulated again, replica by replica in the same worlds";
  } else {
    notes += "Welch's, from the stored means and errors";
    if (comparison.pairable) notes += "; the worlds are the same: --rerun pairs them, which is sharper";
  }
  if (threshold > 0) notes += fmt::format("\nworse: by more than {:g} % of A's regret, beyond the interval", 100 * threshold);
  return text + style.dim(notes + "\n" + speed_text(a, b)) + "\n";
}

std::string comparison_json(const Comparison& comparison, const report::StoredResult& a, const report::StoredResult& b, double threshold) {
  Json settings = Json::array(), policies = Json::array();
  for (const Setting& s : comparison.settings) settings.push_back({{"key", s.key}, {"a", s.a}, {"b", s.b}});
  for (const PolicyChange& change : comparison.policies) {
    policies.push_back({{"policy", change.policy},
                        {"a", change.a.mean},
                        {"b", change.b.mean},
                        {"difference", {{"mean", change.difference.value}, {"ci95", {change.difference.low, change.difference.high}}}},
                        {"regressed", change.regressed(threshold)}});
  }
  const auto speed = [](const report::StoredResult& result) {
    return result.manifest ? Json(result.manifest->replica_rounds_per_second()) : Json();
  };
  return Json{{"schema", "dbandit.compare.v1"},
              {"settings", settings},
              {"only_a", comparison.only_a},
              {"only_b", comparison.only_b},
              {"method", comparison.method == Method::paired ? "paired" : "welch"},
              {"threshold", threshold},
              {"policies", policies},
              {"replica_rounds_per_second", {{"a", speed(a)}, {"b", speed(b)}}}}
             .dump() +
         '\n';
}

}  // namespace dbandit::study
