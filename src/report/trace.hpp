#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "dbandit/model/guest.hpp"
#include "dbandit/sim/spec.hpp"
#include "report/columns.hpp"

/// One replica round by round, as the paper written literally plays it.
namespace dbandit::report {

/// Which rounds of which replica.
struct Rounds {
  std::uint64_t replica = 0;
  std::int64_t first = 1, last = 40;
};

inline constexpr std::int64_t kMostTraced = 100'000;  ///< rounds: each is a walk over the window

/// The spec of a trace, whose horizon is the last round where none is given; the last round is at most the horizon. Throws UserError.
sim::Spec trace_spec(sim::SpecDraft draft, Rounds& rounds);

/// A table for each policy of the spec; the guests are those that it names.
std::string trace_table(const sim::Spec& spec, const Rounds& rounds, const Style& style, std::span<const model::Guest> guests = {});
/// policy,round,played,tied,arm,pulls,conversions,exposure,index,converts,delay,disclosed: a row for every round and arm. converts and
/// delay are the pull's, on the row of its arm, and empty on others and where there is no conversion.
std::string trace_csv(const sim::Spec& spec, const Rounds& rounds, std::span<const model::Guest> guests = {});

}  // namespace dbandit::report
