#include "dbandit/sim/run.hpp"

#include <utility>

#include "job.hpp"

namespace dbandit::sim {

std::vector<Result> run_all(std::span<const Spec> specs, const RunOptions& options) {
  Job job(specs, options);
  job.work();
  return job.results();
}

Result run(const Spec& spec, const RunOptions& options) { return std::move(run_all({&spec, 1}, options).front()); }

}  // namespace dbandit::sim
