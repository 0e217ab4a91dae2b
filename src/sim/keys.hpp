#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "dbandit/sim/spec.hpp"
#include "sim/names.hpp"

/// The one table of what a spec can say. Flags, files, messages, help, completions, manual, docs/flags.md and Python's signature derive
/// from it.
namespace dbandit::sim {

/// What the value of a key may be: one of the types below, each with its words for messages ("a number from 0.5 to 1") in src/sim/keys.cpp.
template <class T>
struct Range {
  T low, high;
  std::string_view low_words = {};  ///< what the lower end is called; the number itself is then checked with other keys
};
/// A number, or none.
template <class T>
struct RangeOrNone {
  Range<T> range;
};
template <class T>
struct ListOf {
  std::size_t most;
  Range<T> range;
  std::string_view words = {};  ///< instead of "numbers from LOW to HIGH"
  std::size_t spare = 0;        ///< so many more are let pass: what the program adds by itself
};
/// The names of an enumeration, or, where the choice may be left to the program, auto.
struct Names {};
struct NamesOrAuto {};
/// The names of model::Exposure, approx with an error, or auto.
struct Exposures {
  Range<double> error;
};
/// What a parser takes.
struct Parsed {
  std::string_view words;
};

/// A row: the key of a file and, with two dashes, the flag.
template <class T, class Allowed>
struct Key {
  std::string_view name;
  T Settings::*field;
  Allowed allowed;
  std::string_view metavar;  ///< empty: the names
  std::string_view group;
  std::string_view help;
  std::string_view note = {};  ///< what help says after the default
  bool required = false;
};
// clang before 17 does not deduce the arguments of an aggregate.
template <class T, class Allowed, class... Words>
Key(std::string_view, T Settings::*, Allowed, Words...) -> Key<T, Allowed>;

inline constexpr std::int64_t kMostRounds = 1'000'000'000;
inline constexpr std::size_t kMostLaws = 1024;
/// What a setting of one policy may be too (policy_settings.hpp). The first keeps β = (1+ε) ln t below 10^7, for which the solvers are
/// certified.
inline constexpr Range<double> kEpsilons{0, 1e5}, kGammas{0.5, 1}, kPriorShapes{0.1, 1e3}, kPriorRates{1e-6, 1e6};

inline constexpr std::tuple kKeys{
    Key{"theta", &Settings::theta, ListOf<double>{65535, {0, 1}},  // an action is stored in 16 bits
        "P,P,...", "Problem", "conversion rate of each arm", "", true},
    Key{"delay", &Settings::delay, Parsed{"a delay law, as in geometric:500, or one for each arm"}, "LAW", "Problem",
        "law of the delay of a conversion, in rounds ('dbandit list delays'); one, or one per arm: geometric:500,50", "", true},
    Key{"assume-delay", &Settings::assume_delay, Parsed{"world, common, or a delay law, as in geometric:500, or one for each arm"},
        "LAW|common|world", "Policies", "the law that the policies believe in", "the true one"},
    Key{"censor", &Settings::censor, RangeOrNone<std::int64_t>{{1, kMostRounds}}, "M|none", "Problem",
        "rounds after which an undisclosed conversion is lost"},
    Key{"horizon", &Settings::horizon, Range<std::int64_t>{1, kMostRounds, "the number of arms"}, "T", "Problem", "rounds to play", "",
        true},
    Key{"policies", &Settings::policies, Parsed{"a list of policies ('dbandit list policies')"}, "ID,ID,...", "Policies",
        "who plays; 'dbandit list policies' shows them, 'list settings' what one may be told: d-klucb(epsilon=0.2)", "", true},
    Key{"replicas", &Settings::replicas, Range<std::int64_t>{1, 10'000'000'000}, "R", "Simulation", "independent repetitions"},
    Key{"until", &Settings::until, Parsed{"none, a precision as in regret:0.5% or regret:+-0.1, or paired:A,B:+-0.2"}, "RULE", "Simulation",
        "stop before --replicas once precise: regret:0.5%, regret:±0.1 or paired:A,B:±0.1"},
    // The largest integer of a TOML file, so that every seed can be written down.
    Key{"seed", &Settings::seed, Range<std::uint64_t>{0, std::numeric_limits<std::int64_t>::max()}, "N", "Simulation",
        "all randomness is a function of it"},
    Key{"epsilon", &Settings::epsilon, kEpsilons, "E", "Policies", "exploration: beta(t) = (1+E) ln t"},
    Key{"clamp", &Settings::clamp, Names{}, "", "Policies", "whether a KL index is capped at 1"},
    Key{"ties", &Settings::ties, Names{}, "", "Policies", "who wins a tie of indices"},
    Key{"start", &Settings::start, Names{}, "", "Policies", "order of the first pull of each arm", "by replica"},
    Key{"radius", &Settings::radius, Names{}, "", "Policies", "confidence radius of discard-ucb; the printed one under-covers"},
    Key{"gamma", &Settings::gamma, kGammas, "G", "Policies", "ud-agnostic-*: the n-th observed delay has weight n^-G"},
    Key{"prior-shape", &Settings::prior_shape, kPriorShapes, "A", "Policies",
        "*-ts, sdb: theta ~ Gamma(A, rate B) before the first round; discard-ts: Beta(A, B)"},
    Key{"prior-rate", &Settings::prior_rate, kPriorRates, "B", "Policies", "*-ts, sdb: B of that law"},
    Key{"at", &Settings::at, ListOf<std::int64_t>{10'000, {1, kMostRounds}, "increasing rounds from 1 to the horizon", 1}, "t,t,...",
        "Simulation", "recorded rounds, T always among them", "about 200, log-spaced"},
    Key{"engine", &Settings::engine, NamesOrAuto{}, "", "Simulation",
        "simd leaps over rounds where that is faster, leap and rounds force one; or the paper written literally"},
    Key{"exposure", &Settings::exposure, Exposures{{1e-9, 0.1}}, "", "Simulation", "how exposure is summed", "the best exact way"},
    Key{"solver", &Settings::solver, NamesOrAuto{}, "", "Simulation", "how the KL index is solved"},
};

template <class Visit>
void for_each_key(Visit&& visit) {
  std::apply([&](const auto&... key) { (visit(key), ...); }, kKeys);
}

/// A row for those who only read.
struct KeyWords {
  std::string_view name;
  std::string allowed;  ///< as a noun: "a number from 0.5 to 1", "one of: auto simd reference"
  std::string metavar;
  std::string_view group;
  std::string help;                     ///< with the default
  std::vector<std::string_view> names;  ///< that may be given, for completions
  bool is_list = false;                 ///< of names, with commas
  bool required = false;
};
/// In the order of kKeys.
const std::vector<KeyWords>& key_words();
/// What the key may hold. Empty for an unknown key.
std::string_view allowed(std::string_view key);
std::vector<std::string_view> key_names();

}  // namespace dbandit::sim
