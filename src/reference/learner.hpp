#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "dbandit/model/experiment.hpp"
#include "reference/delay_estimate.hpp"
#include "reference/elimination.hpp"
#include "reference/exposure.hpp"
#include "reference/families.hpp"
#include "reference/index.hpp"
#include "reference/queue.hpp"

namespace dbandit::reference {

/// One learner of Algorithm 1: what a policy knows after round t, and which arms it would play in round t + 1. A value: copy it to
/// follow two futures of one past.
class Learner {
 public:
  /// Reads the delays it is to believe in, the window, the horizon, the rule, the seed and the number of arms; never θ, never the world's
  /// delays.
  Learner(const model::Experiment& experiment, model::Exposure exposure);
  /// The same learner where it is another replica's: the draws that a policy makes for itself have another address.
  [[nodiscard]] Learner of(std::uint64_t replica) const {
    Learner other = *this;
    other.replica_ = replica;
    return other;
  }

  /// Between which arms round t + 1 is a toss: the maximisers of the index with β(t+1) on the state after round t. One arm while the
  /// order is given: rounds 1 … K play `start`, and Discarding goes round it until every arm has a matured pull (t ≤ m + K). One arm too
  /// where the policy draws for itself or takes turns; such a policy keeps its place in the order, so `start` must stay the same.
  [[nodiscard]] std::vector<std::size_t> candidates(std::span<const std::size_t> start) const;

  /// Round t + 1: plays `arm`; its conversion, if any, is disclosed at the end of round t + 1 + delay, or never when delay > m. Then
  /// everything due in round t + 1 is disclosed, this round's delay 0 included, and the state is updated.
  void play(std::size_t arm, bool converts, std::int64_t delay);

  /// After round t.
  [[nodiscard]] std::vector<ArmStatistics> statistics() const;
  /// What the base behind a queue knows after its last wish.
  [[nodiscard]] std::span<const ArmStatistics> fed() const { return queue_.fed; }
  /// S_k: disclosed so far.
  [[nodiscard]] std::span<const std::int64_t> conversions() const { return conversions_; }
  [[nodiscard]] std::int64_t round() const { return static_cast<std::int64_t>(actions_.size()); }
  [[nodiscard]] const Actions& actions() const { return actions_; }

 private:
  void disclose();
  void mature();
  [[nodiscard]] std::vector<double> exposure() const;
  [[nodiscard]] std::size_t settle(std::span<const std::size_t> tied, std::int64_t at) const;
  [[nodiscard]] std::vector<double> samples() const;
  [[nodiscard]] std::size_t wish_of_base(std::span<const std::size_t> start) const;
  [[nodiscard]] std::size_t in_turn(std::span<const std::size_t> start) const;
  [[nodiscard]] std::vector<double> believed_exposure() const;
  template <class Weight>
  [[nodiscard]] std::vector<Weight> exposure_with(std::span<const Weight> weight) const;

  model::Rule rule_;
  model::Window window_;
  model::Exposure form_;
  std::size_t arms_;
  std::vector<std::vector<double>> tau_;  ///< τ_0 … τ_m as believed, one table for all arms or one each

  Actions actions_;                                    ///< A_s
  std::vector<bool> disclosed_;                        ///< whether the conversion of round s has been seen
  std::multimap<std::int64_t, std::int64_t> pending_;  ///< round of disclosure -> round of the pull, in the order of the pulls
  std::vector<std::int64_t> pulls_;                    ///< N_k
  std::vector<std::int64_t> conversions_;              ///< S_k
  std::vector<std::int64_t> immediate_;                ///< Σ C_s: what only the oracle sees
  std::vector<std::int64_t> matured_;                  ///< M_k
  std::vector<std::int64_t> matured_conversions_;      ///< Z_k
  DelayCounts delay_counts_;                           ///< Appendix D, censored
  DelayMean delay_mean_;                               ///< Appendix D, uncensored
  DelayLikelihood delay_likelihood_;                   ///< the same, truncation allowed for
  std::vector<double> outstanding_;                    ///< O_k with the estimated mean
  std::uint64_t seed_, replica_ = 0;
  // What is remembered of earlier decisions, though it could be told from the record: all follow from what was played and disclosed.
  mutable Queue queue_;
  mutable Elimination elimination_;
  mutable Literal own_;  ///< where the rule names a family
};

}  // namespace dbandit::reference
