#include <benchmark/benchmark.h>

#include <set>
#include <utility>
#include <vector>

#include "work.hpp"

namespace dbandit::bench {

void declare();  // each program's own: what it measures

void add(const std::string& name, std::function<Work()> make, Clock clock) {
  auto* registered = benchmark::RegisterBenchmark(name.c_str(), [name, clock, make = std::move(make)](benchmark::State& state) {
    static std::set<std::string> proven;  // Google Benchmark calls this again for every repetition and to find the iterations
    const Work work = make();
    if (!proven.contains(name)) {
      if (const std::string fault = work.fault(); !fault.empty()) return state.SkipWithError(fault.c_str());
      proven.insert(name);
    }
    for (auto _ : state) {
      if (clock == Clock::own) {
        state.SetIterationTime(work.seconds());
      } else {
        work.run();
      }
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(static_cast<double>(state.iterations()) * work.items));
    state.counters["items"] = work.items;
    for (const auto& [counter, value] : work.counters) state.counters[counter] = value;
  });
  registered->MeasureProcessCPUTime()->Unit(benchmark::kMicrosecond);
  if (clock == Clock::own) {
    registered->UseManualTime();
  } else {
    registered->UseRealTime();
  }
}

}  // namespace dbandit::bench

int main(int argc, char** argv) {
  // A tenth of a second a benchmark is enough for works of many items; flags of the caller come later and win.
  char least_time[] = "--benchmark_min_time=0.1";
  std::vector<char*> arguments(argv, argv + argc);
  arguments.insert(arguments.begin() + 1, least_time);
  int count = static_cast<int>(arguments.size());
  dbandit::bench::declare();
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
