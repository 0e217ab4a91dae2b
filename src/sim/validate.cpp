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
#include "dbandit/model/geometric_fit.hpp"
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
constexpr std::size_t kMostLaws = 1024;
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

/// Whether there is a law for every arm; the rest of a law's text is checked where it is read. A mean is looked at for the laws of a
/// program.
Complaint laws(const model::Delays& delays, const Spec& spec) {
  if (!delays.common() && delays.laws.size() != spec.theta.size()) {
    return fmt::format("{} laws for {} arms; allowed is one law, or one for each arm", delays.laws.size(), spec.theta.size());
  }
  if (!delays.common() && delays.laws.size() > kMostLaws)
    return fmt::format("{} laws; allowed are at most {}", delays.laws.size(), kMostLaws);
  for (const model::DelayLaw& law : delays.laws) {
    if (std::holds_alternative<model::Pareto>(law)) continue;  // an infinite mean is fine within a window
    const double mean = model::mean(law);
    if (!(mean >= 0) || std::isinf(mean)) return fmt::format("a mean of {} is not finite and at least 0", mean);
  }
  return {};
}

Complaint delay(const Spec& spec) { return laws(spec.delay, spec); }

Complaint assumed(const Spec& spec) {
  if (!spec.assume_delay) return {};
  if (spec.assume_delay->laws.empty() && std::isinf(model::average_mean(spec.delay))) {
    return "'common' is a geometric law of the arms' average mean delay, which is infinite; allowed is a law";
  }
  return laws(believed(spec), spec);
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

bool nothing_is_seen(const Spec& spec) {
  return std::ranges::any_of(spec.delay.laws, [&](const auto& law) { return model::cdf(law, *spec.censor) == 0; });
}

bool infinite_mean(const Spec& spec) {
  const auto infinite = [](const model::DelayLaw& law) { return std::isinf(model::mean(law)); };
  return std::ranges::any_of(spec.delay.laws, infinite) || std::ranges::any_of(believed(spec).laws, infinite);
}

Complaint censor(const Spec& spec) {
  if (spec.censor && (*spec.censor < 1 || *spec.censor > kMostRounds)) return is_not(*spec.censor, "censor");
  if (spec.censor && nothing_is_seen(spec)) {
    return fmt::format("with {} no conversion is ever disclosed within {} rounds; allowed is a longer window",
                       model::short_delays_text(spec.delay), *spec.censor);
  }
  for (const std::string& id : spec.policies) {
    const bool censored = spec.censor && policy::find(id)->setting != policy::Setting::uncensored;
    if (censored || !infinite_mean(spec)) continue;
    return fmt::format(
        "policy '{}' waits for every conversion, but the delays have an infinite mean; allowed is a pareto SHAPE above 1, or a "
        "censored policy with --censor",
        id);
  }
  if (spec.censor) return {};
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
  static const std::array abilities{Ability{Engine::simd, {buffer, recursion, approx}, {bisection, newton, direct}},
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

/// The fit behind approx: as far as a pull can be between its round and the end of the window or of the run.
Complaint fitted(const Spec& spec) {
  const model::ExposureChoice& exposure = spec.exposure;
  if (!(exposure.tolerance >= 1e-9 && exposure.tolerance <= 0.1)) {
    return fmt::format("approx:{} is not approx:ERROR with an error of the CDF from 1e-9 to 0.1", exposure.tolerance);
  }
  for (const std::string& id : spec.policies) {
    const model::Window window = policy::find(id)->setting == policy::Setting::uncensored ? model::Window{} : spec.censor;
    const std::int64_t last = std::min(window.value_or(spec.horizon), spec.horizon);
    if (last > model::kLongestFit)
      return fmt::format("approx is certified up to {} rounds, not {}; allowed is buffer", model::kLongestFit, last);
    for (const model::DelayLaw& law : believed(spec).laws) {
      const double error = model::fit_geometrics(law, last, exposure.tolerance).error;
      if (error <= exposure.tolerance) continue;
      return fmt::format(
          "{} up to {} rounds is within {:.2g} of a sum of 64 geometric laws, not within {}; allowed is approx:{:.2g} or buffer",
          model::short_text(law), last, error, exposure.tolerance, 1.1 * error);
    }
  }
  return {};
}

Complaint exposure(const Spec& spec) {
  if (auto complaint = among(spec.exposure.form, ability(spec.engine).exposures, spec.engine)) return complaint;
  const model::Delays delays = believed(spec);
  const bool exact = model::has_recursion(delays);
  if (spec.exposure == model::Exposure::recursion && !exact) {
    return fmt::format("'recursion' does not exist for {}; allowed is buffer (exact) or approx:1e-6 (a certified error)",
                       model::short_delays_text(delays));
  }
  if (spec.exposure != model::Exposure::approx) return {};
  if (exact) return fmt::format("'approx' is for laws without a recursion; {} has one", model::short_delays_text(delays));
  return fitted(spec);
}
Complaint radius(const Spec& spec) {
  if (spec.radius == model::Radius::covering || believed(spec).common()) return {};
  return "'paper' needs one delay law for all arms; allowed is covering";
}
Complaint solver(const Spec& spec) { return among(spec.solver, ability(spec.engine).solvers, spec.engine); }

/// In this order: a check may rely on those before it.
struct Check {
  std::string_view key;
  Complaint (*complaint)(const Spec&);
};
constexpr auto kChecks = std::to_array<Check>({{"theta", theta},
                                               {"delay", delay},
                                               {"horizon", horizon},
                                               {"assume-delay", assumed},
                                               {"policies", policies},
                                               {"censor", censor},
                                               {"replicas", replicas},
                                               {"until", until},
                                               {"seed", seed},
                                               {"epsilon", epsilon},
                                               {"radius", radius},
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
