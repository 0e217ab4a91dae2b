// Two workers on plain threads add to one number without a lock: ThreadSanitizer must end this program (.ci/run, part threads).
#include <atomic>
#include <cstddef>
#include <latch>
#include <optional>

#include "dbandit/sim/executor.hpp"

int main() {
  using namespace dbandit::sim;
  std::atomic<std::size_t> next = 0;
  std::latch both(2);  // so that no worker is done with both items before the other has begun
  std::size_t shared = 0;
  for_each(
      Executor::threads, 2,
      [&]() -> std::optional<std::size_t> {
        const std::size_t item = next++;
        return item < 2 ? std::optional(item) : std::nullopt;
      },
      [&](std::size_t item, std::size_t) {
        both.arrive_and_wait();
        shared += item + 1;
      });
  return shared == 0 ? 1 : 0;
}
