#include "dbandit/sim/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <vector>

#include "dbandit/core/error.hpp"
#include "dbandit/core/suggest.hpp"
#include "dbandit/policy/catalogue.hpp"
#include "dbandit/sim/draft.hpp"
#include "dbandit/sim/names.hpp"
#include "dbandit/sim/until.hpp"

namespace dbandit::sim {

namespace {

using Complaint = std::optional<std::string>;

constexpr std::size_t kMostArms = 65535;          // an action is stored in 16 bits
constexpr std::int64_t kMostRounds = 1000000000;  // 10^9
constexpr std::int64_t kMostReplicas = 10000000000;
constexpr std::size_t kMostRecords = 10000;
constexpr double kMostEpsilon = 1e5;  // keeps β = (1+ε) ln t below 10^7, for which the solvers are certified

template <class T>
Complaint is_not(const T& given, std::string_view key) {
  return fmt::format("{} is not {}", given, allowed(key));
}

Complaint theta(const Spec& spec) {
  if (spec.theta.empty() || spec.theta.size() > kMostArms) return is_not(fmt::format("a list of {}", spec.theta.size()), "theta");
  const auto wrong = std::ranges::find_if(spec.theta, [](double rate) { return !(0 <= rate && rate <= 1); });
  if (wrong != spec.theta.end()) return fmt::format("{} does not belong in {}", *wrong, allowed("theta"));
  return {};
}

/// Whatever a law's text may say is checked where it is read; this is for laws made by a program.
Complaint delay(const Spec& spec) {
  const double mean = model::mean(spec.delay);
  if (!(mean >= 0) || std::isinf(mean)) return fmt::format("a mean of {} is not finite and at least 0", mean);
  return {};
}

Complaint horizon(const Spec& spec) {
  if (spec.horizon >= static_cast<std::int64_t>(spec.theta.size()) && spec.horizon <= kMostRounds) return {};
  return fmt::format("{} is not an integer from the number of arms ({}) to {}", spec.horizon, spec.theta.size(), kMostRounds);
}

Complaint policies(const Spec& spec) {
  if (spec.policies.empty()) return is_not("an empty list", "policies");
  std::vector<std::string_view> ids;
  std::ranges::transform(policy::catalogue(), std::back_inserter(ids), &policy::Entry::id);
  for (auto id = spec.policies.begin(); id != spec.policies.end(); ++id) {
    if (policy::find(*id) == nullptr) {
      const std::string hint = did_you_mean(*id, ids);
      return dbandit::quoted(*id) + " is not a policy" + (hint.empty() ? "; see 'dbandit list policies'" : hint);
    }
    if (std::find(spec.policies.begin(), id, *id) != id) return dbandit::quoted(*id) + " is given twice; allowed is each policy once";
  }
  return {};
}

Complaint censor(const Spec& spec) {
  if (spec.censor) return *spec.censor >= 1 && *spec.censor <= kMostRounds ? Complaint{} : is_not(*spec.censor, "censor");
  for (const std::string& id : spec.policies) {
    if (policy::find(id)->setting != policy::Setting::censored) continue;
    return fmt::format("none, but policy '{}' needs a window; add --censor with an integer from 1 to {}, as in --censor 1000", id,
                       kMostRounds);
  }
  return {};
}

Complaint replicas(const Spec& spec) {
  return spec.replicas >= 1 && spec.replicas <= kMostReplicas ? Complaint{} : is_not(spec.replicas, "replicas");
}

Complaint until(const Spec& spec) {
  if (spec.until == "none") return {};
  const auto rule = parse_until(spec.until);
  if (!rule) return is_not(dbandit::quoted(spec.until), "until");
  for (const std::string& id : {rule->a, rule->b}) {
    if (id.empty() || std::ranges::find(spec.policies, id) != spec.policies.end()) continue;
    return dbandit::quoted(id) + " is not one of the --policies";
  }
  if (!rule->a.empty() && rule->a == rule->b) return dbandit::quoted(rule->a) + " is not paired with itself";
  return {};
}

Complaint seed(const Spec& spec) { return spec.seed >> 63 == 0 ? Complaint{} : is_not(spec.seed, "seed"); }

Complaint epsilon(const Spec& spec) {
  return spec.epsilon >= 0 && spec.epsilon <= kMostEpsilon ? Complaint{} : is_not(spec.epsilon, "epsilon");
}

Complaint gamma(const Spec& spec) { return spec.gamma >= 0.5 && spec.gamma <= 1 ? Complaint{} : is_not(spec.gamma, "gamma"); }

/// Of a normalised spec: the horizon is the last record, on top of those asked for.
Complaint at(const Spec& spec) {
  if (spec.at.size() > kMostRecords + 1) return is_not(fmt::format("a list of {}", spec.at.size()), "at");
  std::int64_t last = 0;
  for (const std::int64_t round : spec.at) {
    if (round < 1 || round > spec.horizon) return fmt::format("{} is not a round from 1 to the horizon ({})", round, spec.horizon);
    if (round <= last) return fmt::format("{} after {}; allowed is {}", round, last, allowed("at"));
    last = round;
  }
  return {};
}

/// What each engine has. The reference is the definition: its index is bisected, its exposure is never a recursion.
struct Ability {
  Engine engine;
  std::vector<model::Exposure> exposures;
  std::vector<model::Solver> solvers;
};
const Ability& ability(Engine engine) {
  using enum model::Exposure;
  using enum model::Solver;
  static const std::array abilities{Ability{Engine::simd, {buffer, recursion}, {bisection, newton, direct}},
                                    Ability{Engine::reference, {history, buffer}, {bisection}}};
  return *std::ranges::find(abilities, engine, &Ability::engine);
}

template <class E>
Complaint among(E choice, const std::vector<E>& has, Engine engine) {
  if (std::ranges::find(has, choice) != has.end()) return {};
  std::string names;
  for (const E one : has) names.append(" ").append(name_of(one));
  return fmt::format("'{}' is not one of:{} (with --engine {})", name_of(choice), names, name_of(engine));
}

Complaint exposure(const Spec& spec) { return among(spec.exposure, ability(spec.engine).exposures, spec.engine); }
Complaint solver(const Spec& spec) { return among(spec.solver, ability(spec.engine).solvers, spec.engine); }

/// In this order: a check may rely on those before it.
struct Check {
  std::string_view key;
  Complaint (*complaint)(const Spec&);
};
constexpr auto kChecks = std::to_array<Check>({{"theta", theta},
                                               {"delay", delay},
                                               {"horizon", horizon},
                                               {"policies", policies},
                                               {"censor", censor},
                                               {"replicas", replicas},
                                               {"until", until},
                                               {"seed", seed},
                                               {"epsilon", epsilon},
                                               {"gamma", gamma},
                                               {"at", at},
                                               {"exposure", exposure},
                                               {"solver", solver}});

}  // namespace

std::optional<Fault> fault(const Spec& spec) {
  for (const Check& check : kChecks) {
    if (auto complaint = check.complaint(spec)) return Fault{check.key, std::move(*complaint)};
  }
  return std::nullopt;
}

void validate(const Spec& spec) {
  if (const auto wrong = fault(spec)) throw UserError("--" + std::string(wrong->key) + ": " + wrong->text);
}

Spec normalised(Spec spec) {
  // Spec files are plain ASCII.
  constexpr std::string_view sign = "±";
  if (const auto at = spec.until.find(sign); at != std::string::npos) spec.until.replace(at, sign.size(), "+-");
  if (spec.at.empty() && spec.horizon >= 1) spec.at = default_rounds(spec.horizon);
  if (!spec.at.empty() && spec.at.back() < spec.horizon) spec.at.push_back(spec.horizon);
  return spec;
}

}  // namespace dbandit::sim
