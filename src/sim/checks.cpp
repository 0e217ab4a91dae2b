#include "checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/suggest.hpp"
#include "kernel/leap/leaps.hpp"
#include "model/geometric_fit.hpp"
#include "sim/keys.hpp"

namespace dbandit::sim {

namespace {

using Reason = std::optional<std::string>;

Reason one_law_per_arm(const model::Delays& delays, const Spec& spec) {
  if (delays.common() || delays.laws.size() == spec->theta.size()) return {};
  return fmt::format("{} laws for {} arms; allowed is one law, or one for each arm", delays.laws.size(), spec->theta.size());
}

Reason delay(const Spec& spec) { return one_law_per_arm(spec->delay, spec); }

Reason assume_delay(const Spec& spec) {
  const bool is_common = spec->assume_delay && spec->assume_delay->laws.empty();
  if (is_common && std::isinf(model::average_mean(spec->delay))) {
    return "'common' is a geometric law of the arms' average mean delay, which is infinite; allowed is a law";
  }
  return one_law_per_arm(spec.believed(), spec);
}

Reason horizon(const Spec& spec) {
  if (spec->horizon >= static_cast<std::int64_t>(spec->theta.size())) return {};
  return fmt::format("{} is not an integer from the number of arms ({}) to {}", spec->horizon, spec->theta.size(), kMostRounds);
}

Reason policies(const Spec& spec) {
  for (auto policy = spec->policies.begin(); policy != spec->policies.end(); ++policy) {
    if (std::find_if(spec->policies.begin(), policy, [&](const Policy& earlier) { return earlier.id == policy->id; }) == policy) continue;
    if (policy->is_guest()) return fmt::format("{} is the name of two policies; {}", dbandit::quoted(policy->id), kAnotherName);
    return dbandit::quoted(policy->id) + " is given twice; allowed is each policy once";
  }
  for (const Policy& policy : spec->policies) {
    if (policy.is_guest()) continue;
    const model::Rule of = rule(spec, policy);
    const bool is_beta = of.index == model::IndexForm::thompson && of.statistic == model::Statistic::matured;
    if (is_beta && of.prior_rate < kPriorShapes.low)
      return fmt::format("'{}' has the prior Beta(A, B); allowed is a prior-rate B of at least {}", policy.id, kPriorShapes.low);
    if (of.radius == model::Radius::paper && spec->radius != model::Radius::paper && !spec.believed().common())
      return fmt::format("'{}' needs one delay law for all arms; allowed is radius=covering", policy.id);
  }
  return {};
}

Reason censor(const Spec& spec) {
  const auto hides_all = [&](const model::DelayLaw& law) { return model::cdf(law, *spec->censor) == 0; };
  if (spec->censor && std::ranges::any_of(spec->delay.laws, hides_all)) {
    return fmt::format("with {} no conversion is ever disclosed within {} rounds; allowed is a longer window",
                       model::short_delays_text(spec->delay), *spec->censor);
  }
  const auto infinite = [](const model::DelayLaw& law) { return std::isinf(model::mean(law)); };
  const bool waits_forever = std::ranges::any_of(spec->delay.laws, infinite) || std::ranges::any_of(spec.believed().laws, infinite);
  for (const Policy& policy : spec->policies) {
    if (waits_forever && !spec.window(policy)) {
      return fmt::format(
          "policy '{}' waits for every conversion, but the delays have an infinite mean; allowed is a pareto SHAPE above 1, or a "
          "censored policy with --censor",
          policy.id);
    }
    if (!spec->censor && !policy.is_guest() && policy.entry->setting == policy::Setting::censored) {
      return fmt::format("none, but policy '{}' needs a window; add --censor with an integer from 1 to {}, as in --censor 1000", policy.id,
                         kMostRounds);
    }
  }
  return {};
}

Reason until(const Spec& spec) {
  if (!spec->until || spec->until->a.empty()) return {};
  const auto& [a, b, width, percent] = *spec->until;
  for (const std::string& id : {a, b}) {
    if (std::ranges::find(spec->policies, id, &Policy::id) == spec->policies.end())
      return dbandit::quoted(id) + " is not one of the --policies";
  }
  return a == b ? Reason(dbandit::quoted(a) + " is not paired with itself") : Reason{};
}

Reason radius(const Spec& spec) {
  if (spec->radius == model::Radius::covering || spec.believed().common()) return {};
  return "'paper' needs one delay law for all arms; allowed is covering";
}

Reason at(const Spec& spec) {
  std::int64_t last = 0;
  for (const std::int64_t round : spec->at) {
    if (round > spec->horizon) return fmt::format("{} is not a round from 1 to the horizon ({})", round, spec->horizon);
    if (round <= last) return fmt::format("{} after {}; allowed is {}", round, last, allowed("at"));
    last = round;
  }
  return {};
}

template <class E>
Reason among(E choice, std::span<const E> has, Engine engine) {
  if (std::ranges::find(has, choice) != has.end()) return {};
  std::string names;
  for (const E one : has) names.append(" ").append(name_of(one));
  return fmt::format("'{}' is not one of:{} (with --engine {})", name_of(choice), names, name_of(engine));
}

/// What each engine has. The reference is the definition: its index is bisected, its exposure is never a recursion.
Reason lacks(const Spec& spec, model::Exposure exposure) {
  using enum model::Exposure;
  constexpr std::array simd{buffer, recursion, approx};
  constexpr std::array reference{history, buffer};
  return among(exposure, spec.engine() != Engine::reference ? std::span<const model::Exposure>(simd) : reference, spec.engine());
}
Reason solver(const Spec& spec) {
  using enum model::Solver;
  constexpr std::array simd{bisection, newton, direct};
  constexpr std::array reference{bisection};
  return among(spec.solver(), spec.engine() != Engine::reference ? std::span<const model::Solver>(simd) : reference, spec.engine());
}

/// Whoever asks for leaps by name gets them in every policy.
Reason engine(const Spec& spec) {
  if (spec.engine() != Engine::leap) return {};
  for (const Policy& policy : spec->policies) {
    if (!policy.is_guest() && kernel::can_leap(experiment(spec, policy), spec.exposure())) continue;
    const bool fits = spec.exposure() == model::Exposure::approx;
    return fits ? std::string("'leap' does not go with --exposure approx; allowed is simd, rounds or buffer")
                : fmt::format("'leap' is not for {} ('dbandit list policies' says for whom); allowed is simd or rounds", policy.id);
  }
  return {};
}

/// The fit behind approx: as far as a pull can be between its round and the end of the window or of the run.
Reason fitted(const Spec& spec) {
  const double tolerance = spec.exposure().tolerance;
  for (const Policy& policy : spec->policies) {
    const std::int64_t last = std::min(spec.window(policy).value_or(spec->horizon), spec->horizon);
    if (last > model::kLongestFit)
      return fmt::format("approx is certified up to {} rounds, not {}; allowed is buffer", model::kLongestFit, last);
    for (const model::DelayLaw& law : spec.believed().laws) {
      const double error = model::fit_geometrics(law, last, tolerance)->error;
      if (error <= tolerance) continue;
      return fmt::format(
          "{} up to {} rounds is within {:.2g} of a sum of 64 geometric laws, not within {}; allowed is approx:{:.2g} or buffer",
          model::short_text(law), last, error, tolerance, 1.1 * error);
    }
  }
  return {};
}

Reason exposure(const Spec& spec) {
  if (auto reason = lacks(spec, spec.exposure().form)) return reason;
  const bool exact = model::has_recursion(spec.believed());
  const std::string delays = model::short_delays_text(spec.believed());
  if (spec.exposure() == model::Exposure::recursion && !exact) {
    return fmt::format("'recursion' does not exist for {}; allowed is buffer (exact) or approx:1e-6 (a certified error)", delays);
  }
  if (spec.exposure() != model::Exposure::approx) return {};
  return exact ? fmt::format("'approx' is for laws without a recursion; {} has one", delays) : fitted(spec);
}

/// In this order: a check may rely on those before it.
struct Check {
  std::string_view key;
  Reason (*reason)(const Spec&);
};
constexpr auto kChecks = std::to_array<Check>({{"delay", delay},
                                               {"horizon", horizon},
                                               {"assume-delay", assume_delay},
                                               {"policies", policies},
                                               {"censor", censor},
                                               {"until", until},
                                               {"radius", radius},
                                               {"at", at},
                                               {"exposure", exposure},
                                               {"solver", solver},
                                               {"engine", engine}});

}  // namespace

std::optional<Refusal> refused_combination(const Spec& spec) {
  for (const Check& check : kChecks) {
    if (auto reason = check.reason(spec)) return Refusal{check.key, std::move(*reason)};
  }
  return std::nullopt;
}

}  // namespace dbandit::sim
