#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dbandit/model/experiment.hpp"
#include "dbandit/policy/catalogue.hpp"

namespace dbandit::sim {

/// simd: the fast one, which leaps where that is right and faster; leap, rounds: that always, or never; reference: the paper literally.
enum class Engine { simd, leap, rounds, reference };

/// A choice that may be left to the program: none is `auto`.
template <class E>
using Auto = std::optional<E>;

/// The delays that the policies are told. No laws at all stands for `common`: one geometric law of the arms' average mean.
using Assumption = std::optional<model::Delays>;

/// What the name of a policy says of its settings: `d-klucb(epsilon=0.2)`.
struct GivenSetting {
  std::string name, value;
  friend bool operator==(const GivenSetting&, const GivenSetting&) = default;
};

/// Who plays: a policy of the catalogue, or a guest, which is a function of the user's. A spec knows a guest by its name and, where the
/// user gives one, by a hash of what it does; it can be stored and read, and runs where a function of that name is supplied.
struct Policy {
  std::string id;                        ///< what reports call it, its settings included
  const policy::Entry* entry = nullptr;  ///< of the catalogue; nullptr: a guest
  std::string hash;                      ///< of a guest; may be empty
  std::vector<GivenSetting> settings;    ///< its own, which go before the run's

  /// "d-ucb", "d-klucb(epsilon=0.2)", "guest:mine" or "guest:mine@HASH". Throws UserError.
  template <std::convertible_to<std::string_view> Text>
  Policy(const Text& text) : Policy(parse(text)) {}
  static Policy guest(std::string_view name, std::string_view hash = {});

  [[nodiscard]] bool is_guest() const { return entry == nullptr; }
  /// Reads back to an equal policy.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Policy&, const Policy&) = default;

 private:
  Policy() = default;
  static Policy parse(std::string_view text);
};

/// When fewer replicas are enough: "regret:0.5%", "regret:+-0.1" (every policy), "paired:d-klucb,d-ucb:+-0.2" (the difference on the same
/// worlds). sim/until.hpp says when that is looked at.
struct Until {
  std::string a, b;  ///< empty: every policy
  double width = 0;  ///< of the half of an interval: in conversions, or in percent of the mean
  bool percent = false;

  /// Throws UserError.
  template <std::convertible_to<std::string_view> Text>
  Until(const Text& text) : Until(parse(text)) {}
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Until&, const Until&) = default;

 private:
  Until() = default;
  static Until parse(std::string_view text);
};

/// What may be set, with the defaults: a member for every row of kKeys (sim/keys.hpp), which says what each may be. Everything that can
/// change a byte of the results and nothing else (threads, target and output are RunOptions).
struct Settings {
  std::vector<double> theta;
  model::Delays delay{std::vector<model::DelayLaw>{}};
  Assumption assume_delay;  ///< what the policies believe; none: the world's
  model::Window censor;     ///< none: only policies of the uncensored setting can run
  std::int64_t horizon = 0;
  std::vector<Policy> policies;
  std::int64_t replicas = 1000;
  std::optional<Until> until;
  std::uint64_t seed = 1;
  double epsilon = 0;
  model::Clamp clamp = model::Clamp::one;
  model::Ties ties = model::Ties::random;
  model::StartOrder start = model::StartOrder::permuted;
  model::Radius radius = model::Radius::covering;
  double gamma = 1;
  double prior_shape = 1, prior_rate = 1;
  std::vector<std::int64_t> at;  ///< recorded rounds; empty: default_rounds(horizon)
  Auto<Engine> engine;           ///< auto: simd
  Auto<model::ExposureChoice> exposure;
  Auto<model::Solver> solver;

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// Settings as a file or flags have said them so far.
struct SpecDraft {
  Settings settings;
  /// Which keys were said, and where, as the beginning of a message: "--theta", "spec.toml:3: theta".
  std::map<std::string, std::string, std::less<>> said = {};
};

/// What is simulated: settings that can run, with every default filled in and every choice made. `auto` is the simd engine with recursion,
/// or buffer where the delays that the policies believe in have none, and direct solver; the reference has buffer and bisection.
class Spec {
 public:
  /// The one way to make a spec. Throws UserError, which names the flag, or file, line and key where a wrong value was read.
  explicit Spec(const SpecDraft& draft);
  Spec(const Settings& settings) : Spec(SpecDraft{settings}) {}

  const Settings& operator*() const { return settings_; }
  const Settings* operator->() const { return &settings_; }
  [[nodiscard]] Engine engine() const { return *settings_.engine; }
  [[nodiscard]] const model::ExposureChoice& exposure() const { return *settings_.exposure; }
  [[nodiscard]] model::Solver solver() const { return *settings_.solver; }
  /// The delays that the policies believe in.
  [[nodiscard]] const model::Delays& believed() const { return believed_; }
  /// What reports call its policies.
  [[nodiscard]] std::vector<std::string> ids() const;
  [[nodiscard]] model::Problem problem() const { return {settings_.theta, settings_.delay}; }
  /// Of one of its policies: none in the uncensored setting.
  [[nodiscard]] model::Window window(const Policy& policy) const;

  friend bool operator==(const Spec& a, const Spec& b) { return a.settings_ == b.settings_; }

 private:
  Settings settings_;
  model::Delays believed_;
};

/// Log-spaced rounds, about `most` of them, 1 and the horizon included.
std::vector<std::int64_t> default_rounds(std::int64_t horizon, std::int64_t most = 200);

/// The rule of one of the spec's policies: its row of the catalogue, the run's settings, then its own.
model::Rule rule(const Spec& spec, const Policy& policy);

/// The experiment of one of the spec's policies: the rule from the catalogue, the window from its setting. Of a guest everything but the
/// index, which is its own.
model::Experiment experiment(const Spec& spec, const Policy& policy);

}  // namespace dbandit::sim
