#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dbandit/model/experiment.hpp"
#include "dbandit/model/guest.hpp"
#include "reference/exposure.hpp"
#include "reference/index.hpp"
#include "reference/regret.hpp"

/// A policy from outside, asked about one replica: the engine's books written literally.
namespace dbandit::reference {

class GuestPlayer {
 public:
  /// Starts the guest of the experiment.
  GuestPlayer(const model::Experiment& experiment, std::uint64_t replica);
  /// An index for each arm of the problem in round t.
  [[nodiscard]] std::vector<double> indices(std::int64_t round, std::span<const ArmStatistics> known, const Actions& actions,
                                            std::span<const Outcome> outcomes) const;
  /// The arms of the largest index, those within kTie of it included.
  [[nodiscard]] static std::vector<std::size_t> largest(std::span<const double> indices);
  /// What round t told.
  void observe(std::int64_t round, std::size_t arm, std::span<const std::int64_t> disclosed) const;

 private:
  const model::Guest& guest_;
  model::Window window_;
  std::uint64_t replica_;
  std::vector<std::size_t> order_;  ///< the arms as the guest sees them
};

/// The pulls of an arm before round t whose conversion was not seen and may still be: C_s D_s not disclosed by the end of round t − 1, and
/// the window of round s not over.
std::int64_t pending(const Actions& actions, std::span<const Outcome> outcomes, const model::Window& window, std::int64_t round,
                     std::size_t arm);

}  // namespace dbandit::reference
