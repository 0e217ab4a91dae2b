#pragma once

#include <span>
#include <string_view>

#include "dbandit/model/experiment.hpp"

namespace dbandit::policy {

/// Which feedback a policy lives on: d-* need a window, ud-* ignore it, the others take the setting of the run.
enum class Setting { censored, uncensored, as_given };

/// A named policy. The whole of `dbandit list policies` and of the dispatch is this table.
struct Entry {
  std::string_view id;
  Setting setting;
  model::Statistic statistic;
  model::IndexForm index;
  std::string_view summary;      ///< one line: what it is, from which section
  std::string_view family = {};  ///< where statistic and index do not say it
};

std::span<const Entry> catalogue();
/// By its name, which settings in parentheses may follow; nullptr when there is none.
const Entry* find(std::string_view id);

/// Whether a decision draws from more than the tie keys of its round, so that no enumeration of ties has its expectation.
constexpr bool draws_privately(const Entry& entry) { return entry.index == model::IndexForm::thompson || model::queues(entry.statistic); }

}  // namespace dbandit::policy
