#include "dbandit/sim/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "checks.hpp"
#include "core/double_double.hpp"
#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"
#include "dbandit/sim/draft.hpp"
#include "kernel/leap/leaps.hpp"
#include "sim/policy_settings.hpp"

namespace dbandit::sim {

namespace {

constexpr std::string_view kGuest = "guest:";

/// Plain enough for a line of CSV, a list of flags and a TOML file.
bool is_name(std::string_view text, std::string_view also) {
  constexpr std::size_t longest = 64;
  const auto allowed = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || also.find(c) != std::string_view::npos;
  };
  return !text.empty() && text.size() <= longest && std::ranges::all_of(text, allowed);
}

model::Delays believed_in(const Settings& settings) {
  if (!settings.assume_delay) return settings.delay;
  if (settings.assume_delay->laws.empty()) return model::Geometric{model::average_mean(settings.delay)};
  return *settings.assume_delay;
}

[[noreturn]] void refuse(const SpecDraft& draft, const Refusal& refusal) {
  const auto said = draft.said.find(refusal.key);
  throw UserError((said != draft.said.end() ? said->second : "--" + std::string(refusal.key)) + ": " + refusal.reason);
}

}  // namespace

Policy Policy::guest(std::string_view name, std::string_view hash) {
  // As the catalogue's policies have them: "mine(gamma=0.5,rounds=10)". One pair of parentheses, so that a list still splits at its commas.
  const std::size_t open = name.find('(');
  const std::string_view settings = open == std::string_view::npos ? std::string_view{} : name.substr(open + 1);
  const bool has_settings = settings.size() > 1 && settings.ends_with(')') && is_name(settings.substr(0, settings.size() - 1), "_.-=,");
  if (!is_name(name.substr(0, open), "_.-<>") || name.size() > 64 || (open != std::string_view::npos && !has_settings)) {
    throw UserError(
        dbandit::quoted(name) +
        " is not the name of a guest; allowed are 1 to 64 letters, digits and _ . - < >, then settings as in (gain=0.5,depth=3)");
  }
  if (!hash.empty() && !is_name(hash, ""))
    throw UserError(dbandit::quoted(hash) + " is not a hash; allowed are 1 to 64 letters and digits");
  if (policy::find(name) != nullptr)
    throw UserError(fmt::format("{} is a policy of the catalogue; {}", dbandit::quoted(name), kAnotherName));
  Policy policy;
  policy.id = name;
  policy.hash = hash;
  return policy;
}

Policy Policy::parse(std::string_view text) {
  if (text.starts_with(kGuest)) {
    const std::string_view name = text.substr(kGuest.size());
    const std::size_t at = name.find('@');
    if (at + 1 == name.size()) throw UserError(dbandit::quoted(text) + " has no hash after the @");
    return guest(name.substr(0, at), at == std::string_view::npos ? std::string_view{} : name.substr(at + 1));
  }
  Policy policy;
  const std::string_view name = text.substr(0, text.find('('));
  policy.entry = policy::find(name);
  if (policy.entry == nullptr) {
    std::vector<std::string_view> ids;
    std::ranges::transform(policy::catalogue(), std::back_inserter(ids), &policy::Entry::id);
    const std::string hint =
        name.find_first_of(" ;") != std::string_view::npos ? "; commas separate them, as in d-ucb,d-klucb" : did_you_mean(name, ids);
    throw UserError(dbandit::quoted(name) + " is not a policy" + (hint.empty() ? "; see 'dbandit list policies'" : hint));
  }
  policy.id = name;
  if (text.size() == name.size()) return policy;
  if (!text.ends_with(')')) throw UserError(fmt::format("{} does not end with the ) of its settings", dbandit::quoted(text)));
  const std::size_t open = text.find('(');
  policy.settings = parse_settings(*policy.entry, text.substr(open + 1, text.size() - open - 2));
  std::string said;
  for (const auto& [setting, value] : policy.settings) said += fmt::format("{}{}={}", said.empty() ? "" : ",", setting, value);
  policy.id += "(" + said + ")";
  return policy;
}

std::string Policy::text() const { return (is_guest() ? std::string(kGuest) : "") + id + (hash.empty() ? "" : "@" + hash); }

std::vector<std::int64_t> default_rounds(std::int64_t horizon, std::int64_t most) {
  const std::int64_t count = std::min(horizon, most);
  std::vector<std::int64_t> rounds{1};
  // Each step takes its share of the way that is left, so that rounds which must be distinct at the start (1, 2, 3, …) do
  // not thin out the rest.
  for (std::int64_t left = count - 1; left > 0; --left) {
    const double last = static_cast<double>(rounds.back());
    const auto step = static_cast<double>(pow(DoubleDouble(static_cast<double>(horizon) / last), 1.0 / static_cast<double>(left)));
    const double next = last * step;
    rounds.push_back(std::clamp(static_cast<std::int64_t>(std::llround(next)), rounds.back() + 1, horizon - left + 1));
  }
  return rounds;
}

Settings filled_in(Settings settings) {
  if (settings.at.empty() && settings.horizon >= 1) settings.at = default_rounds(settings.horizon);
  if (!settings.at.empty() && settings.at.back() < settings.horizon) settings.at.push_back(settings.horizon);
  if (!settings.engine) settings.engine = Engine::simd;
  const bool simd = settings.engine != Engine::reference;
  if (!settings.exposure)
    settings.exposure = simd && model::has_recursion(believed_in(settings)) ? model::Exposure::recursion : model::Exposure::buffer;
  if (!settings.solver) settings.solver = simd ? model::Solver::direct : model::Solver::bisection;
  return settings;
}

Spec::Spec(const SpecDraft& draft) : settings_(filled_in(draft.settings)), believed_(believed_in(settings_)) {
  if (const auto refusal = refused_value({settings_, draft.said})) refuse(draft, *refusal);
  if (const auto refusal = refused_combination(*this)) refuse(draft, *refusal);
}

std::vector<std::string> Spec::ids() const {
  std::vector<std::string> ids;
  std::ranges::transform(settings_.policies, std::back_inserter(ids), &Policy::id);
  return ids;
}

model::Window Spec::window(const Policy& policy) const {
  return !policy.is_guest() && policy.entry->setting == policy::Setting::uncensored ? model::Window{} : settings_.censor;
}

model::Rule rule(const Spec& spec, const Policy& policy) {
  model::Rule rule{.statistic = policy.is_guest() ? model::Statistic::exposure : policy.entry->statistic,
                   .index = policy.is_guest() ? model::IndexForm::ucb : policy.entry->index,
                   .family = policy.is_guest() ? std::string_view{} : policy.entry->family,
                   .epsilon = spec->epsilon,
                   .clamp = spec->clamp,
                   .ties = spec->ties,
                   .start = spec->start,
                   .radius = spec->radius,
                   .gamma = spec->gamma,
                   .prior_shape = spec->prior_shape,
                   .prior_rate = spec->prior_rate};
  apply_settings(policy.settings, rule);
  return rule;
}

model::Experiment experiment(const Spec& spec, const Policy& policy) {
  model::Experiment e{
      .problem = spec.problem(),
      .window = spec.window(policy),
      .rule = rule(spec, policy),
      .horizon = spec->horizon,
      .seed = spec->seed,
      .at = spec->at,
      .assumed = spec->assume_delay ? std::optional(spec.believed()) : std::nullopt,
      .tolerance = spec.exposure().tolerance,
  };
  const bool may_leap = spec.engine() == Engine::leap || (spec.engine() == Engine::simd && kernel::is_faster_leaping(e));
  if (may_leap && !policy.is_guest() && kernel::can_leap(e, spec.exposure())) e.leap_after = kernel::leap_after(e);
  return e;
}

Spec problem_spec(SpecDraft draft) {
  draft.settings.horizon = static_cast<std::int64_t>(std::max<std::size_t>(1, draft.settings.theta.size()));
  draft.settings.at.clear();
  draft.settings.policies = {"uniform"};
  return Spec(draft);
}

}  // namespace dbandit::sim
