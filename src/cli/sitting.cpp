#include "sitting.hpp"

#include <fmt/format.h>

#include "dbandit/core/text.hpp"
#include "terminal.hpp"

namespace dbandit::cli {

namespace {

constexpr double kLongestInterval = 86400;

[[noreturn]] void refuse_other_run(const std::string& path, const std::string& how) {
  throw UserError(fmt::format("'{}': holds a run with {}; choose another --out, or delete its checkpoint", path, how), ExitCode::mismatch);
}

}  // namespace

void KeepFlags::declare(CLI::App& command) {
  const std::string group = "Output";
  out_.declare(command, "--out", folder(),
               "write the results there (spec.toml, curve.csv, summary.json, manifest.json, …); store the state as the run goes", group);
  resume_.declare(command, "--resume", folder(), "continue the run that was stored there", group);
  extend_.declare(command, "--extend", folder(), "the same with more --replicas", group);
  shard_.declare(command, "--shard", "I/N", "only the I-th of N parts, into --out; 'dbandit merge' puts them together", group);
  interval_.declare(command, "--checkpoint-every", "S", "seconds between two stores; default 2, and never more than 1 % of the time",
                    group);
}

std::optional<sim::Shard> KeepFlags::shard() const {
  const std::string* text = shard_.value();
  if (text == nullptr) return std::nullopt;
  const auto shard = sim::parse_shard(*text);
  if (!shard) throw UserError("--shard: " + dbandit::quoted(*text) + " is not I/N with 1 <= I <= N <= 1000000, as in 2/5");
  if (out_.value() == nullptr) throw UserError("--shard: needs --out, where its blocks are stored");
  return shard;
}

const std::string* KeepFlags::directory() const {
  const std::string* chosen = nullptr;
  for (const TextOption* option : {&out_, &resume_, &extend_}) {
    if (option->value() == nullptr) continue;
    if (chosen != nullptr) throw UserError("--out, --resume and --extend: choose one");
    chosen = option->value();
  }
  return chosen;
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

Sitting::Sitting(const KeepFlags& flags, const sim::SpecDraft& draft) {
  const std::string* path = flags.directory();
  const auto interval = flags.interval();
  if (!flags.continues()) spec_.emplace(draft);  // before anything is created
  if (path == nullptr) return;
  path_ = *path;
  if (!flags.continues()) directory_.emplace(path_);
  checkpoint_.emplace(path_, interval);
  if (flags.continues()) directory_.emplace(path_);
  stored_ = checkpoint_->read();
  adopt(flags, draft);
  if (stored_ && !stored_->notice.empty()) note(stored_->notice);
}

void Sitting::adopt(const KeepFlags& flags, const sim::SpecDraft& draft) {
  if (!stored_) {
    if (flags.continues()) throw UserError(fmt::format("'{}': there is no checkpoint in it to continue from", path_));
    return;
  }
  const sim::Spec& stored = stored_->spec;
  if (flags.continues()) spec_.emplace(sim::merge({*stored}, draft));
  if (flags.extends() && (!draft.said.contains("replicas") || spec()->replicas < stored->replicas)) {
    throw UserError(fmt::format("--extend: '{}' has {} replicas; give more --replicas than that", path_, stored->replicas));
  }
  std::optional<std::string> difference = sim::difference(stored, spec());
  const bool shorter = stored_->prefix.blocks > sim::whole_blocks(sim::plan(spec()));
  if (!difference && (shorter || (flags.continues() && !flags.extends() && spec()->replicas != stored->replicas))) {
    difference = fmt::format("replicas = {}, not {}", stored->replicas, spec()->replicas);
  }
  if (!difference) return;
  // Results that are whole give way to new ones; work that is under way does not.
  if (flags.continues() || !sim::is_finished(*stored_)) refuse_other_run(path_, *difference);
  stored_.reset();
}

double Sitting::begun() const {
  return stored_ ? static_cast<double>(stored_->prefix.blocks) / static_cast<double>(sim::plan(spec()).blocks) : 0;
}

void Sitting::attach(sim::RunOptions& options) {
  if (!checkpoint_) return;
  checkpoint_->begin(spec(), stored_ ? &*stored_ : nullptr);
  if (stored_) options.from = &stored_->prefix;
  options.folded = [this](const sim::Result& result) { checkpoint_->folded(result); };
}

std::string Sitting::keep(const sim::Result& result) {
  if (!checkpoint_) return "";
  if (result.blocks_done > 0) checkpoint_->store(result);
  if (checkpoint_->blocks_stored() == 0) return "; nothing was stored";
  return fmt::format("; stored, 'dbandit run --resume {}' continues", path_);
}

void Sitting::finish(const sim::Result& result, const report::Manifest& manifest) {
  if (directory_) directory_->write(report::result_files(result, manifest));
}

}  // namespace dbandit::cli
