#pragma once

#include <functional>
#include <map>
#include <string>

/// What the benchmarks have in common: a piece of work is a value, so that Google Benchmark and the ratios time the same thing.
namespace dbandit::bench {

struct Work {
  double items = 0;           ///< what one call of `run` yields: replica-rounds, indices or draws
  std::function<void()> run;  ///< everything that is not to be timed has been done before
  /// Compares the result with the reference; empty, or what differs. A wrong kernel has no speed.
  std::function<std::string()> fault;
  std::map<std::string, double> counters = {};  ///< shown beside the time, such as an error
  std::function<double()> seconds = {};         ///< Clock::own: instead of `run`, and how long the part that matters took
};

/// Whose clock counts: the wall's, or the seconds that the work itself says it took.
enum class Clock { wall, own };

/// Registers a work under a structured name. It is made when its turn comes, and timed only if it has no fault.
void add(const std::string& name, std::function<Work()> make, Clock clock = Clock::wall);

/// Keeps the compiler from dropping what a computation leaves in memory.
inline void keep(const void* result) { asm volatile("" : : "g"(result) : "memory"); }

}  // namespace dbandit::bench
