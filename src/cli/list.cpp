#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <string>

#include "command.hpp"
#include "core/text.hpp"
#include "dbandit/kernel/target.hpp"
#include "dbandit/model/delay_law.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "expected.hpp"
#include "kernel/leap/leaps.hpp"
#include "report/columns.hpp"
#include "report/json_value.hpp"
#include "sim/policy_settings.hpp"
#include "terminal.hpp"

namespace dbandit::cli {
namespace {

using report::Align;
using report::Columns;

std::string setting_text(policy::Setting setting) {
  switch (setting) {
    case policy::Setting::censored:
      return "censored";
    case policy::Setting::uncensored:
      return "uncensored";
    case policy::Setting::as_given:
      break;
  }
  return "as given";
}

Columns policies() {
  Columns columns{.align = {Align::left, Align::left, Align::left, Align::left},
                  .rows = {{"policy", "setting", "leaps", "what it is"}},
                  .highlight = {}};
  for (const policy::Entry& entry : policy::catalogue()) {
    const bool leaps = kernel::can_leap({.statistic = entry.statistic, .index = entry.index});
    columns.rows.push_back({std::string(entry.id), setting_text(entry.setting), leaps ? "yes" : "", std::string(entry.summary)});
  }
  return columns;
}

Columns settings() {
  Columns columns{.align = {Align::left, Align::left, Align::left, Align::left, Align::left},
                  .rows = {{"setting", "allowed", "plain", "what it is", "policies that have it"}},
                  .highlight = {}};
  for (const sim::PolicySetting& setting : sim::policy_settings()) {
    std::vector<std::string_view> have, lack;
    for (const policy::Entry& entry : policy::catalogue()) (setting.is_of(entry) ? have : lack).push_back(entry.id);
    const std::string who = lack.empty()                ? "all"
                            : lack.size() < have.size() ? fmt::format("all but {}", fmt::join(lack, " "))
                                                        : fmt::format("{}", fmt::join(have, " "));
    columns.rows.push_back({std::string(setting.name), sim::allowed(setting), sim::plain_value(setting), std::string(setting.help), who});
  }
  return columns;
}

Columns delays() {
  Columns columns{.align = {Align::left, Align::left, Align::left, Align::left},
                  .rows = {{"delay", "example", "exposure", "what it is"}},
                  .highlight = {}};
  for (const model::LawFamily& family : model::law_families()) {
    columns.rows.push_back({family.form, family.example, family.exposure, family.summary});
  }
  return columns;
}

Columns targets() {
  Columns columns{
      .align = {Align::left, Align::left, Align::left, Align::left}, .rows = {{"target", "needs", "this CPU", "chosen"}}, .highlight = {}};
  for (const kernel::Target& target : kernel::targets()) {
    const bool chosen = &target == &kernel::best_target();
    if (chosen) columns.highlight = {columns.rows.size()};
    columns.rows.push_back({std::string(target.name), std::string(target.requirement), target.supported() ? "has it" : "lacks it",
                            chosen ? "by --target auto" : ""});
  }
  return columns;
}

Columns solvers() {
  return {.align = {Align::left, Align::left},
          .rows = {{"solver", "how the Poisson KL index max{q : Ñ d_Pois(θ̂, q) ≤ β} is found"},
                   {"direct", "U = h(S, β)/Ñ with h from one function of one variable; --solver auto on the simd engine"},
                   {"newton", "Newton's method from the upper bracket, a fixed number of steps"},
                   {"bisection", "halving the bracket to full precision: the classical way; what the reference engine does"}},
          .highlight = {}};
}

/// What there is of it, and the JSON key of each column; a column that ends with '?' is true where its cell says `yes`.
struct Subject {
  std::string_view name;
  Columns (*columns)();
  std::string_view keys, yes = {};
};
constexpr auto kSubjects = std::to_array<Subject>({{"policies", policies, "policy,setting,leaps?,summary", "yes"},
                                                   {"settings", settings, "setting,allowed,plain,summary,policies"},
                                                   {"delays", delays, "delay,example,exposure,summary"},
                                                   {"targets", targets, "target,needs,supported?,chosen?", "has it|by --target auto"},
                                                   {"solvers", solvers, "solver,summary"}});

/// dbandit.list.v1: an object for each row.
std::string as_json(const Subject& subject) {
  report::Json rows = report::Json::array();
  const Columns columns = subject.columns();
  const std::vector<std::string_view> keys = split(subject.keys, ','), yes = split(subject.yes, '|');
  for (std::size_t r = 1; r < columns.rows.size(); ++r) {
    report::Json row = report::Json::object();
    for (std::size_t c = 0; c < keys.size(); ++c) {
      const std::string& cell = columns.rows[r][c];
      if (keys[c].ends_with('?')) {
        row[keys[c].substr(0, keys[c].size() - 1)] = std::ranges::find(yes, cell) != yes.end();
      } else {
        row[keys[c]] = cell;
      }
    }
    rows.push_back(std::move(row));
  }
  report::Json json{{"schema", "dbandit.list.v1"}};
  json[subject.name] = std::move(rows);
  return json.dump() + '\n';
}

std::vector<std::string_view> subjects() {
  std::vector<std::string_view> names;
  std::ranges::transform(kSubjects, std::back_inserter(names), &Subject::name);
  return names;
}

struct Flags {
  std::string subject;
  ColorFlag color;
  bool json = false;
};

ExitCode list(const Flags& flags) {
  const report::Style style = flags.color.style();
  const auto* subject = std::ranges::find(kSubjects, flags.subject, &Subject::name);
  if (subject == kSubjects.end()) {
    if (flags.subject.empty()) throw UserError(fmt::format("list: is missing what to list; give one of: {}", fmt::join(subjects(), " ")));
    throw UserError(fmt::format("list: {} is not one of: {}{}", dbandit::quoted(flags.subject), fmt::join(subjects(), " "),
                                did_you_mean(flags.subject, subjects())));
  }
  print(flags.json ? as_json(*subject) : subject->columns().text(style));
  return ExitCode::done;
}

}  // namespace

Action declare_list(Usage& command) {
  auto flags = std::make_shared<Flags>();
  command.argument("WHAT", flags->subject, choice(subjects()), "policies, settings, delays, targets or solvers");
  command.flag("--json", flags->json, "print one JSON document (dbandit.list.v1)", "Output");
  flags->color.declare(command);
  return [flags] { return list(*flags); };
}

}  // namespace dbandit::cli
