#include "session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "command.hpp"
#include "core/suggest.hpp"
#include "core/text.hpp"
#include "dbandit/core/error.hpp"
#include "interrupt.hpp"
#include "report/advice.hpp"
#include "sim/machine.hpp"
#include "terminal.hpp"

namespace dbandit::cli {

namespace {

namespace fs = std::filesystem;

constexpr double kLongestInterval = 86400;

[[noreturn]] void refuse_other_run(const fs::path& folder, const std::string& how) {
  throw UserError(fmt::format("'{}': holds a run with {}; choose another --out, or --force replaces it", folder.string(), how),
                  ExitCode::mismatch);
}

/// Whether a folder holds results of ours, or nothing at all.
bool is_ours(const fs::path& folder) {
  std::error_code error;
  constexpr std::array marks{"checkpoint", "manifest.json", "claims.json"};
  if (std::ranges::any_of(marks, [&](const char* mark) { return fs::exists(folder / mark, error); })) return true;
  // A killed program leaves .tmp files behind: they count as nothing.
  const fs::directory_iterator entries(folder, error);
  return error || std::all_of(fs::begin(entries), fs::end(entries),
                              [](const fs::directory_entry& entry) { return entry.path().extension() == ".tmp"; });
}

bool has_result(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "manifest.json", ignored) || fs::exists(folder / "claims.json", ignored);
}

double replica_rounds(std::span<const sim::Spec> specs) {
  double sum = 0;
  for (const sim::Spec& spec : specs) {
    sum += static_cast<double>(spec->replicas) * static_cast<double>(spec->horizon) * static_cast<double>(spec->policies.size());
  }
  return sum;
}

/// The share of the blocks that earlier sessions have done.
double share_stored(std::span<const sim::Spec> specs, const std::optional<sim::Stored>& stored, sim::Shard shard) {
  std::size_t done = 0, all = 0;
  for (const sim::Spec& spec : specs) {
    all += sim::plan(spec).part(shard).count();
    const sim::StoredRun* const known = stored ? stored->find(spec) : nullptr;
    if (known != nullptr) done += known->spec == spec ? known->state.blocks() : known->state.whole.blocks.count();
  }
  return all > 0 ? static_cast<double>(std::min(done, all)) / static_cast<double>(all) : 0;
}

}  // namespace

int asked_threads(const TextOption& option) {
  const std::string* text = option.value();
  if (text == nullptr) return 0;
  const int count = parse_number<int>(*text).value_or(-1);
  if (count < 0 || count > sim::kMostThreads) {
    throw UserError(fmt::format("--threads: {} is not an integer from 0 (all cores) to {}", dbandit::quoted(*text), sim::kMostThreads));
  }
  return count;
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

Expected target_names() {
  std::vector<std::string_view> names{"auto"};
  std::ranges::transform(kernel::targets(), std::back_inserter(names), &kernel::Target::name);
  return choice(names);
}

void JobFlags::declare(Usage& command) {
  threads.declare(command, "--threads", "N",
                  "threads; 0, the default, is one for each core that affinity and quota allow; changes no number", "Simulation");
  command.flag("--quiet", quiet, "no progress bar, no warnings", "Output");
  progress.declare(command);
}

void StudyFlags::declare(Usage& command, const std::string& out_help) {
  keep.declare(command, out_help);
  report.declare(command);
  job.declare(command);
  color.declare(command);
}

void KeepFlags::declare(Usage& command, const std::string& out_help) {
  const std::string group = "Output";
  out_.declare(command, "--out", cli::folder(), out_help, group);
  resume_.declare(command, "--resume", cli::folder(), "continue what was interrupted there, with the flags that it had", group);
  shard_.declare(command, "--shard", "I/N", "only the I-th of N parts, into --out; 'dbandit merge' puts them together", group);
  interval_.declare(command, "--checkpoint-every", "S", "seconds between two stores; default 2, and never more than 1 % of the time",
                    group);
  command.flag("--force", force_, "replace what --out holds; the old is kept as DIR.1 until the new is whole", group);
}

sim::Shard KeepFlags::shard() const {
  const std::string* text = shard_.value();
  if (text == nullptr) return {};
  const auto shard = sim::parse_shard(*text);
  if (!shard) throw UserError("--shard: " + dbandit::quoted(*text) + " is not I/N with 1 <= I <= N <= 1000000, as in 2/5");
  if (out_.value() == nullptr) throw UserError("--shard: needs --out, where its sums are stored");
  return *shard;
}

std::chrono::duration<double> KeepFlags::interval() const {
  const std::string* text = interval_.value();
  if (text == nullptr) return std::chrono::seconds(2);
  const double seconds = parse_number<double>(*text).value_or(-1);
  if (!(seconds >= 0 && seconds <= kLongestInterval)) {
    throw UserError(fmt::format("--checkpoint-every: {} is not a number of seconds from 0 (after every block) to {}",
                                dbandit::quoted(*text), kLongestInterval));
  }
  return std::chrono::duration<double>(seconds);
}

RunSession::RunSession(const KeepFlags& flags, fs::path folder, bool must_exist) : flags_(flags), folder_(std::move(folder)) {
  static_cast<void>(flags_.interval());
  std::error_code ignored;
  if (fs::equivalent(folder_, "/", ignored)) throw UserError("--out: '/' is not a folder for results", ExitCode::mismatch);
  if (!flags_.force() && !must_exist && !is_ours(folder_)) {
    throw UserError(fmt::format("'{}': holds files that are not of dbandit; choose another --out, or --force", folder_.string()),
                    ExitCode::mismatch);
  }
  if (!must_exist) directory_.emplace(folder_);
  checkpoint_.emplace(folder_, flags_.interval());
  if (must_exist) directory_.emplace(folder_);
  if (!must_exist) checkpoint_->set_command(given_words());
}

void RunSession::claim(std::span<const sim::Spec> specs, bool others) {
  const std::optional<sim::Stored>& stored = checkpoint_->stored();
  if (!stored) {
    if (!has_result(folder_)) return;
    if (flags_.force()) return set_aside();
    throw UserError(fmt::format("'{}': holds a result that has no checkpoint to compare with; choose another --out, or --force replaces it",
                                folder_.string()),
                    ExitCode::mismatch);
  }
  // What is stored must be among what is asked for: a sweep may get more values, a run more replicas.
  std::optional<std::string> how;
  for (const sim::StoredRun& run : stored->runs) {
    const auto wanted = std::ranges::find_if(specs, [&](const sim::Spec& spec) { return !sim::difference(run.spec, spec); });
    if (wanted == specs.end()) {
      if (!others) how = sim::difference(run.spec, specs.front());
    } else if ((*wanted)->replicas < run.spec->replicas) {
      how = fmt::format("replicas = {}, not {}", run.spec->replicas, (*wanted)->replicas);
    }
    if (how) break;
  }
  if (how && !flags_.force()) refuse_other_run(folder_, *how);
  if (how) return set_aside();
  was_finished_ = std::ranges::all_of(specs, [&](const sim::Spec& spec) {
    const sim::StoredRun* const known = stored->find(spec);
    return known != nullptr && known->spec == spec && known->is_finished();
  });
  if (!stored->notice.empty()) note(stored->notice);
}

/// The folder becomes FOLDER.1, whole as it is, and a new one takes its place.
void RunSession::set_aside() {
  fs::path aside = folder_;
  if (!aside.has_filename()) aside = aside.parent_path();
  aside += ".1";
  std::error_code error;
  fs::remove_all(aside, error);
  checkpoint_.reset();
  directory_.reset();
  fs::rename(folder_, aside, error);
  if (error)
    throw UserError(fmt::format("'{}': cannot be moved to '{}': {}", folder_.string(), aside.string(), error.message()), ExitCode::io);
  aside_ = aside;
  directory_.emplace(folder_);
  checkpoint_.emplace(folder_, flags_.interval());
  checkpoint_->set_command(given_words());
}

void RunSession::write(std::span<const report::File> files) { directory_->write(files); }

void RunSession::finish() {
  std::error_code ignored;
  if (aside_) fs::remove_all(*aside_, ignored);
}

JobOutcome run_job(std::span<const sim::Spec> specs, const JobFlags& flags, const kernel::Target* target, RunSession* session,
                   sim::Shard shard) {
  sim::RunOptions options;
  options.threads = asked_threads(flags.threads);
  options.target = target;
  options.shard = shard;
  if (session != nullptr) options.checkpoint = &session->checkpoint();
  const Interrupt interrupt;
  options.stop = interrupt.token();
  const double begun = session != nullptr ? share_stored(specs, session->stored(), shard) : 0;
  ProgressBar bar(flags.progress.form(flags.quiet), replica_rounds(specs), begun);
  options.progress = [&](std::size_t done, std::size_t all) { bar.update(done, all); };
  JobOutcome outcome;
  outcome.results = sim::run_all(specs, options);
  outcome.complete = std::ranges::all_of(outcome.results, &sim::Result::complete);
  if (session != nullptr) outcome.stored_text = session->checkpoint().blocks_stored() > 0 ? "stored" : "nothing was stored";
  return outcome;
}

ExitCode continue_study(const std::string& folder, std::string_view command) {
  const std::optional<sim::Stored> stored = sim::read_checkpoints(folder);
  if (!stored) throw UserError(fmt::format("'{}': there is no checkpoint in it to continue from", folder));
  if (stored->command.empty() || stored->command.front() != command) {
    throw UserError(
        fmt::format("'{}': was not written by 'dbandit {}'; 'dbandit status {}' says what continues it", folder, command, folder),
        ExitCode::mismatch);
  }
  std::vector<std::string> words = stored->command;
  if (const auto out = std::ranges::find(words, "--out"); out != words.end() && out + 1 != words.end()) words.erase(out, out + 2);
  std::erase_if(words, [](const std::string& word) { return word.starts_with("--out=") || word == "--force"; });
  words.insert(words.end(), {"--out", folder});
  return run_words(std::move(words));
}

std::optional<std::vector<sim::Result>> run_study(std::span<const sim::Spec> specs, const JobFlags& flags, const KeepFlags& keep,
                                                  RunSession& session, bool others, const kernel::Target* target) {
  const sim::Shard shard = keep.shard();
  session.claim(specs, others);
  if (session.was_finished() && !flags.quiet)
    note(fmt::format("'{}': was finished before; nothing was simulated", session.folder().string()));
  JobOutcome outcome = run_job(specs, flags, target, &session, shard);
  std::size_t blocks = 0, done = 0;
  for (const sim::Result& result : outcome.results) {
    const sim::Plan plan = sim::plan(result.spec);
    blocks += plan.part(shard).count();
    done += result.blocks_done;
  }
  if (done < blocks && !outcome.complete) {
    throw UserError(fmt::format("interrupted: {} of {} blocks are stored in '{}'; the same command, or --resume, continues", done, blocks,
                                session.folder().string()),
                    ExitCode::interrupted);
  }
  if (!(shard == sim::Shard{})) {
    if (!flags.quiet) print(fmt::format("shard {}/{}: {} of {} blocks are stored\n", shard.index, shard.count, done, blocks));
    return std::nullopt;
  }
  session.finish();
  if (!flags.quiet && !outcome.results.empty())
    warn(report::thread_advice(sim::thread_count({.threads = asked_threads(flags.threads)}), sim::cores()));
  return std::move(outcome.results);
}

}  // namespace dbandit::cli
