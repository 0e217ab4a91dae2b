#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dbandit/sim/spec.hpp"

namespace dbandit::sim {

/// A choice that may be left to the program: none is `auto`.
template <class E>
using Auto = std::optional<E>;

/// A spec in the making: what a file or the flags have said so far. Layer with `merge`, turn into a Spec with `finish`.
struct SpecDraft {
  std::optional<std::vector<double>> theta;
  std::optional<model::Delays> delay;
  std::optional<Assumption> assume_delay;
  std::optional<model::Window> censor;
  std::optional<std::int64_t> horizon;
  std::optional<std::vector<std::string>> policies;
  std::optional<std::int64_t> replicas;
  std::optional<std::string> until;
  std::optional<std::uint64_t> seed;
  std::optional<double> epsilon;
  std::optional<model::Clamp> clamp;
  std::optional<model::Ties> ties;
  std::optional<model::StartOrder> start;
  std::optional<model::Radius> radius;
  std::optional<double> gamma;
  std::optional<std::vector<std::int64_t>> at;
  std::optional<Auto<Engine>> engine;
  std::optional<Auto<model::ExposureChoice>> exposure;
  std::optional<Auto<model::Solver>> solver;

  /// Where a key was read, as "spec.toml:3", so that a value that turns out to be wrong is reported there. Keys that
  /// are not listed came from flags.
  std::map<std::string, std::string, std::less<>> origin;
};

/// One thing a spec can say: the key of the file and, with two dashes, the flag.
template <class T, class Resolved = T>
struct Key {
  std::string_view name;
  std::optional<T> SpecDraft::*field;
  Resolved Spec::*resolved;
  std::string_view allowed = {};  ///< what may be given, as a noun; empty for an enumeration, whose names say it
  bool required = false;
};
template <class E>
using Choice = Key<Auto<E>, E>;

/// Reading, writing, layering, defaults, the list of known keys and the flags all walk this list.
inline constexpr std::tuple kKeys{
    Key<std::vector<double>>{"theta", &SpecDraft::theta, &Spec::theta, "a list of 1 to 65535 numbers from 0 to 1", true},
    Key<model::Delays>{"delay", &SpecDraft::delay, &Spec::delay, "a delay law, as in geometric:500, or one for each arm", true},
    Key<Assumption>{"assume-delay", &SpecDraft::assume_delay, &Spec::assume_delay,
                    "world, common, or a delay law, as in geometric:500, or one for each arm"},
    Key<model::Window>{"censor", &SpecDraft::censor, &Spec::censor, "an integer from 1 to 1000000000, or none"},
    Key<std::int64_t>{"horizon", &SpecDraft::horizon, &Spec::horizon, "an integer from the number of arms to 1000000000", true},
    Key<std::vector<std::string>>{"policies", &SpecDraft::policies, &Spec::policies, "a list of policies ('dbandit list policies')", true},
    Key<std::int64_t>{"replicas", &SpecDraft::replicas, &Spec::replicas, "an integer from 1 to 10000000000"},
    Key<std::string>{"until", &SpecDraft::until, &Spec::until, "none, a precision as in regret:0.5% or regret:+-0.1, or paired:A,B:+-0.2"},
    Key<std::uint64_t>{"seed", &SpecDraft::seed, &Spec::seed, "an integer from 0 to 9223372036854775807"},
    Key<double>{"epsilon", &SpecDraft::epsilon, &Spec::epsilon, "a number from 0 to 100000"},
    Key<model::Clamp>{"clamp", &SpecDraft::clamp, &Spec::clamp},
    Key<model::Ties>{"ties", &SpecDraft::ties, &Spec::ties},
    Key<model::StartOrder>{"start", &SpecDraft::start, &Spec::start},
    Key<model::Radius>{"radius", &SpecDraft::radius, &Spec::radius},
    Key<double>{"gamma", &SpecDraft::gamma, &Spec::gamma, "a number from 0.5 to 1"},
    Key<std::vector<std::int64_t>>{"at", &SpecDraft::at, &Spec::at, "a list of 1 to 10000 increasing rounds from 1 to the horizon"},
    Choice<Engine>{"engine", &SpecDraft::engine, &Spec::engine},
    Choice<model::ExposureChoice>{"exposure", &SpecDraft::exposure, &Spec::exposure, "one of: history buffer recursion approx:ERROR"},
    Choice<model::Solver>{"solver", &SpecDraft::solver, &Spec::solver},
};

template <class Visit>
void for_each_key(Visit&& visit) {
  std::apply([&](const auto&... key) { (visit(key), ...); }, kKeys);
}

/// What the key may hold, as a noun: "a number from 0.5 to 1", "one of: auto simd reference". Empty for an unknown key.
std::string allowed(std::string_view key);
/// The names of all keys, in the order of kKeys.
std::vector<std::string_view> key_names();

/// Sets a key from the text of its flag: assign(draft, "theta", "0.1,0.05"). Throws UserError "--theta: …".
void assign(SpecDraft& draft, std::string_view key, std::string_view text);
/// What `overrides` says wins.
SpecDraft merge(SpecDraft draft, const SpecDraft& overrides);
/// Everything said: finish(draft_of(spec)) is spec.
SpecDraft draft_of(const Spec& spec);

/// Fills in the defaults and validates. `auto` is the simd engine with recursion, or buffer where the delays that the policies believe in
/// have none, and direct solver; the reference has buffer and bisection. Throws UserError, which names the flag, or file, line and key
/// where the value was read.
Spec finish(const SpecDraft& draft);

}  // namespace dbandit::sim
