#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What a log says about rates and delays, in rounds. A click is observed for n whole rounds: its conversion is seen iff its delay is below
/// n. The likelihood needs no more of a log than these counts, however many rows it has.
namespace dbandit::fit {

struct Count {
  std::int64_t rounds;
  std::int64_t count;
  friend bool operator==(const Count&, const Count&) = default;
};

/// One arm's clicks; rounds rise within each list.
struct ArmCounts {
  std::string arm;              ///< as the log names it; empty where it names none
  std::vector<Count> delays;    ///< conversions seen, by delay D
  std::vector<Count> waiting;   ///< clicks without a conversion, by the rounds n ≥ 1 that they were observed
  std::vector<Count> observed;  ///< all clicks, by n ≥ 1

  [[nodiscard]] std::int64_t conversions() const { return total(delays); }
  [[nodiscard]] std::int64_t clicks() const { return total(observed); }
  static std::int64_t total(const std::vector<Count>& counts) {
    std::int64_t sum = 0;
    for (const Count& count : counts) sum += count.count;
    return sum;
  }
};

/// In the order of the arms.
using Counts = std::vector<ArmCounts>;

}  // namespace dbandit::fit
