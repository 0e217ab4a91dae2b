#pragma once

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dbandit/policy/catalogue.hpp"
#include "dbandit/sim/spec.hpp"

/// Settings of a single policy, in its name: `d-klucb(epsilon=0.2)`. They go before what the run says for all.
namespace dbandit::sim {

struct PolicySetting {
  using Field = std::variant<double model::Rule::*, model::Clamp model::Rule::*, model::Ties model::Rule::*,
                             model::StartOrder model::Rule::*, model::Radius model::Rule::*>;
  std::string_view name;
  Field field;
  double low, high;  ///< of a number
  bool (*is_of)(const policy::Entry&);
  std::string_view help;
};
/// The one table of them.
std::span<const PolicySetting> policy_settings();
/// The names of those that a policy has.
std::vector<std::string_view> settings_of(const policy::Entry& entry);
/// "a number from 0 to 1", "one of: one none".
std::string allowed(const PolicySetting& setting);
/// What it is unless said otherwise.
std::string plain_value(const PolicySetting& setting);

/// "epsilon=0.2,clamp=none" in the order of the table, each value in its shortest form. Throws UserError.
std::vector<GivenSetting> parse_settings(const policy::Entry& entry, std::string_view text);
void apply_settings(std::span<const GivenSetting> settings, model::Rule& rule);

}  // namespace dbandit::sim
