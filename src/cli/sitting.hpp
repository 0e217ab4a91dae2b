#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "dbandit/report/directory.hpp"
#include "dbandit/sim/checkpoint.hpp"
#include "dbandit/sim/draft.hpp"
#include "dbandit/sim/run.hpp"
#include "dbandit/sim/shard.hpp"
#include "text_option.hpp"

namespace dbandit::cli {

/// --out, --resume, --extend: where a run is kept.
class KeepFlags {
 public:
  void declare(CLI::App& command);
  /// The folder and the flag that named it; nullptr when the run is kept nowhere.
  [[nodiscard]] const std::string* directory() const;
  [[nodiscard]] bool continues() const { return resume_.value() != nullptr || extends(); }
  [[nodiscard]] bool extends() const { return extend_.value() != nullptr; }
  [[nodiscard]] std::chrono::duration<double> interval() const;
  /// None: the whole run.
  [[nodiscard]] std::optional<sim::Shard> shard() const;

 private:
  TextOption shard_, out_, resume_, extend_, interval_;
};

/// One of the sittings that a run takes: its folder, locked, and what earlier ones have left there.
class Sitting {
 public:
  /// Reads the spec from the folder when the flags say so. Throws UserError when what is there is not of this run.
  Sitting(const KeepFlags& flags, const sim::SpecDraft& draft);
  [[nodiscard]] const sim::Spec& spec() const { return *spec_; }
  /// The share of the plan that earlier sittings have done.
  [[nodiscard]] double begun() const;
  /// Makes the run continue where the last sitting ended, and store as it goes.
  void attach(sim::RunOptions& options);
  /// Stores a run that was cut short, and tells the user what became of it: the end of a sentence.
  std::string keep(const sim::Result& result);
  void finish(const sim::Result& result, const report::Manifest& manifest);

 private:
  void adopt(const KeepFlags& flags, const sim::SpecDraft& draft);

  std::optional<sim::Spec> spec_;
  std::string path_;
  std::optional<report::Directory> directory_;
  std::optional<sim::Checkpoint> checkpoint_;
  std::optional<sim::Stored> stored_;
};

}  // namespace dbandit::cli
