#include "job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dbandit/core/error.hpp"
#include "dbandit/core/suggest.hpp"
#include "dbandit/core/text.hpp"
#include "dbandit/report/advice.hpp"
#include "interrupt.hpp"
#include "terminal.hpp"

namespace dbandit::cli {

int asked_threads(const TextOption& option) {
  const std::string* text = option.value();
  if (text == nullptr) return 0;
  const int count = parse_number<int>(*text).value_or(-1);
  if (count < 0 || count > sim::kMostThreads) {
    throw UserError(fmt::format("--threads: {} is not an integer from 0 (all cores) to {}", dbandit::quoted(*text), sim::kMostThreads));
  }
  return count;
}

Expected target_names() {
  std::vector<std::string_view> names{"auto"};
  std::ranges::transform(kernel::targets(), std::back_inserter(names), &kernel::Target::name);
  return choice(names);
}

const kernel::Target* chosen_target(const TextOption& option, sim::Engine engine) {
  const std::string* name = option.value();
  if (name == nullptr || *name == "auto") return nullptr;
  const kernel::Target* target = kernel::find_target(*name);
  if (target == nullptr) {
    std::vector<std::string_view> names;
    for (const kernel::Target& known : kernel::targets()) names.push_back(known.name);
    throw UserError(fmt::format("--target: {} is not one of: {}", dbandit::quoted(*name), fmt::join(names, " ")));
  }
  if (!target->supported()) {
    throw UserError(fmt::format("--target: this CPU lacks {}, which '{}' needs; the best it has is '{}'", target->requirement, *name,
                                kernel::best_target().name));
  }
  if (engine == sim::Engine::reference)
    throw UserError(fmt::format("--target: '{}' is for the simd engine; the reference has none", *name));
  return target;
}

void declare_vary(CLI::App& command, std::vector<std::string>& into, const std::string& help, const std::string& group) {
  expect(command.add_option("--vary", into, help)
             ->type_name("KEY=VALUES")
             ->group(group)
             ->expected(1)
             ->allow_extra_args(false)
             ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll),
         "KEY=VALUES");
}

void JobFlags::declare(CLI::App& command) {
  threads.declare(command, "--threads", "N",
                  "threads; 0, the default, is one for each core that affinity and quota allow; changes no number", "Simulation");
  command.add_flag("--quiet", quiet, "no progress bar, no warnings")->group("Output");
  progress.declare(command);
}

std::vector<sim::Result> run_job(std::span<const sim::Spec> specs, const JobFlags& flags, const kernel::Target* target) {
  sim::RunOptions options;
  options.threads = asked_threads(flags.threads);
  options.target = target;
  const Interrupt interrupt;
  options.stop = interrupt.token();
  double replica_rounds = 0;
  for (const sim::Spec& spec : specs) {
    replica_rounds += static_cast<double>(spec->replicas) * static_cast<double>(spec->horizon) * static_cast<double>(spec->policies.size());
  }
  ProgressBar bar(flags.progress.form(flags.quiet), replica_rounds);
  options.progress = [&](std::size_t done, std::size_t all) { bar.update(done, all); };
  std::vector<sim::Result> results = sim::run_all(specs, options);
  if (!std::ranges::all_of(results, &sim::Result::complete)) {
    throw UserError("interrupted: nothing was stored", ExitCode::interrupted);
  }
  if (!flags.quiet && !results.empty()) warn(report::thread_advice(sim::thread_count(options), sim::cores()));
  return results;
}

report::Manifest job_manifest(std::span<const sim::Result> results) {
  report::Manifest all = report::manifest(results.front());
  for (const sim::Result& result : results.subspan(1)) {
    all.seconds += result.timing.seconds;
    all.replica_rounds += result.timing.replica_rounds;
  }
  return all;
}

}  // namespace dbandit::cli
