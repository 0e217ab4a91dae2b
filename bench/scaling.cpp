// Whether the cost of a replica-round stays flat: whole runs of d-klucb over threads, replicas and horizon.
// Names: scaling/threads/2, scaling/replicas/10000, scaling/horizon/100000; items are replica-rounds.
#include <string>

#include "engine_work.hpp"
#include "sim/machine.hpp"

namespace dbandit::bench {
void declare() {
  const int cores = sim::cores().usable();
  for (int threads = 1; threads < cores; threads *= 2) {
    add("scaling/threads/" + std::to_string(threads), [=] { return run_work(4096, 10000, threads); });
  }
  add("scaling/threads/" + std::to_string(cores), [=] { return run_work(4096, 10000, cores); });
  for (std::int64_t replicas = 100; replicas <= 1'000'000; replicas *= 10) {
    add("scaling/replicas/" + std::to_string(replicas), [=] { return run_work(replicas, 1000, 1); });
  }
  for (std::int64_t horizon = 1000; horizon <= 10'000'000; horizon *= 10) {
    add("scaling/horizon/" + std::to_string(horizon), [=] { return run_work(128, horizon, 1); });
  }
}

}  // namespace dbandit::bench
