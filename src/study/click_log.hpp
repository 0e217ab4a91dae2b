#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <vector>

#include "dbandit/kernel/target.hpp"
#include "dbandit/sim/spec.hpp"

/// The clicks of a simulated world as a log that `dbandit fit` reads.
namespace dbandit::study {

/// A round of a replica, as its policy's log has it.
struct Click {
  std::uint64_t replica;
  std::int64_t start;       ///< the round t
  std::int64_t conversion;  ///< t + D where it was disclosed by the horizon; 0: it was not
  std::int64_t end;         ///< a conversion is seen iff it is before: min(T, t + m) + 1
  std::size_t arm;          ///< from 0, as in theta
};

/// Plays one of the spec's policies on replicas 0, …, replicas − 1, the first ones of every run, and visits their rounds in order.
void for_each_click(const sim::Spec& spec, const sim::Policy& policy, std::uint64_t replicas, const kernel::Target* target,
                    const std::function<void(const Click&)>& visit);

inline constexpr const char* kClickHeading = "replica,arm,start,conversion,end";
/// The longest horizon that is logged: the rounds of a replica are held in memory.
inline constexpr std::int64_t kLongestLog = 100'000'000;

/// folder/POLICY.csv for every policy of the spec, all of them whole or none there. Throws UserError, also when it is stopped; returns
/// their paths.
std::vector<std::filesystem::path> write_click_logs(const sim::Spec& spec, std::uint64_t replicas, const kernel::Target* target,
                                                    const std::filesystem::path& folder, const std::stop_token& stop = {});

}  // namespace dbandit::study
