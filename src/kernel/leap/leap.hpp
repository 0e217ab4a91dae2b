#pragma once

#include "kernel/leap/disclosures.hpp"
#include "kernel/leap/runs.hpp"
#include "kernel/leap/stream.hpp"
#include "kernel/policy/policy.hpp"

/// The engine that skips. While an arm leads by more than a tie, it is known for how many rounds it must stay ahead whatever the other
/// arms' indices do, so nothing is looked at until then, or until a conversion of another arm is disclosed. Early rounds, where looks are
/// needed almost every round, belong to the rounds engine; the books, exposure and policy of the block are shared with it. Each replica has
/// a clock of its own.
namespace dbandit::kernel {

/// Powers and geometric sums of the ratio of a geometric law: ρ^i and 1 + ρ + … + ρ^{i−1}, i ≤ a stretch, in two steps of 64.
struct Powers {
  double* low = nullptr;      ///< [64] ρ^i
  double* high = nullptr;     ///< ρ^{64 i}
  double* low_sum = nullptr;  ///< [64]
  double* high_sum = nullptr;
  std::size_t steps = 0;
  double ratio = 0;      ///< ρ
  double hazard = 1;     ///< 1 − ρ
  double few = 1;        ///< rounds in which little decays
  double few_power = 0;  ///< ρ^few

  void declare(Rows& rows) {
    rows(low, 64), rows(low_sum, 64);
    rows(high, steps), rows(high_sum, steps);
  }
  void fill(double mean);
  [[gnu::always_inline]] double power(std::uint64_t i) const { return low[i % 64] * high[i / 64]; }
  [[gnu::always_inline]] double sum(std::uint64_t i) const { return low_sum[i % 64] + low[i % 64] * high_sum[i / 64]; }
};

/// Σ_{i<d} τ_i of a law as far as the window goes, for the exposure of a run.
struct Cumulated {
  std::size_t laws = 0;
  std::int64_t length = 0;
  std::int64_t silent = 0;    ///< ages at which no conversion of any arm can have been seen: the sums up to there are 0
  double** of_arm = nullptr;  ///< [arm]
  double* sums = nullptr;     ///< [law][length + 1]
  double* matured = nullptr;  ///< [arm] τ_m

  void size(const Setup& setup, const model::Delays& delays, std::int64_t window);
  void declare(Rows& rows, std::size_t arms);
  void fill(const Setup& setup, const model::Delays& delays, std::size_t arms);
};

/// What is recorded, and where.
struct Recording {
  const std::int64_t* at = nullptr;  ///< recorded rounds
  std::size_t rows = 0;
  std::size_t offset = 0;  ///< column of the block's first replica
  model::Paths* paths = nullptr;
  std::uint16_t* actions = nullptr;  ///< where they are traced: of the block's first replica
  std::size_t stride = 0;            ///< from a round's to the next
};

struct Leap {
  static constexpr std::size_t kTogether = 8;            ///< replicas that are looked at together
  static constexpr std::int64_t kLongestStretch = 3072;  ///< a stretch that could be longer is cut, so that rings are short

  static constexpr std::int64_t kWorthwhile = 16;  ///< rounds for which a stretch is made longer without a look

  bool is_on = false;
  std::int64_t after = 0;    ///< rounds of the rounds engine
  std::int64_t reach = 0;    ///< no disclosure is further ahead
  std::int64_t longest = 0;  ///< stretch
  std::size_t group = 0;     ///< lane of the first of those together
  std::size_t width = 0;     ///< lanes together, padding included
  bool decays = false;       ///< a deficit is kept
  bool sums_runs = false;    ///< the exposure is summed over the runs before a look
  double margin = 0;         ///< by how much the indices of a look may be wrong, tangents aside, and what a tie is
  Disclosures disclosures;
  Runs runs;
  Powers powers;
  Cumulated believed, world;
  double* growth = nullptr;           ///< [arm] what the denominator grows by in a round, at most: τ_m, or 1 where pulls are counted
  std::uint64_t* top_mark = nullptr;  ///< [arm] the largest mark that converts
  std::uint64_t* ever = nullptr;      ///< [arm] 1; 0 where none does
  // When a conversion of ours is disclosed: its delay is at most `our_reach`, and then after (delay & by_delay) + at rounds.
  std::uint64_t our_reach = 0, by_delay = 0, at = 0;
  std::uint64_t best_mark = 0;  ///< top_mark of the best arm
  double* base = nullptr;       ///< of the numerators base + gain x; cells of the books
  double* gain = nullptr;
  double* own_base = nullptr;        ///< where the policy keeps none
  double* world_exposure = nullptr;  ///< [arm] scratch of a record
  std::uint32_t* changed = nullptr;  ///< cells whose tangents must be renewed before the next look
  std::size_t changes = 0;
  Stream* streams = nullptr;  ///< [replica of the group]

  // [replica of the group]
  std::int64_t clock[kTogether];  ///< rounds played
  std::size_t record[kTogether];  ///< row of the next recorded round
  RunsOfReplica runs_of[kTogether];
  DisclosuresOfReplica pending_of[kTogether];
  bool is_idle[kTogether];                   ///< at the horizon, or no replica
  alignas(64) double beta[kTogether];        ///< at the look
  alignas(64) double touched_at[kTogether];  ///< β at which all tangents of the replica were renewed; later ones are nearer
  alignas(64) double stretch[kTogether];     ///< rounds that the leader stays ahead; below 1: undecided
  alignas(64) double leader[kTogether];
  alignas(64) double doubt[kTogether];   ///< the margin of the look
  alignas(64) double above[kTogether];   ///< the leader's numerator, at least
  alignas(64) double below[kTogether];   ///< its denominator
  alignas(64) double others[kTogether];  ///< the largest of the other indices, at most
  alignas(64) double rise[kTogether];    ///< by which these rise in a round, at most

  std::uint64_t looks = 0;   ///< replicas that were looked at, for the benchmarks
  std::uint64_t rounds = 0;  ///< that they played

  void size(const Setup& setup, Books& books, const World& world_of, const Exposure& exposure, const Policy& policy);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books, const World& world_of, const Exposure& exposure, const Policy& policy);
};

struct State;
/// What the rounds engine left, as the leaping one keeps it.
void begin_leap(State& state);
/// The replicas from lane `group` on: their clocks, runs and pending disclosures.
void begin_group(State& state, std::size_t group);
/// Ñ of a replica from its runs, into its cells.
void sum_runs(State& state, std::size_t replica);
/// The arm that a replica plays next, by the exact indices.
std::size_t decide_exactly(State& state, std::size_t replica);
/// A replica that has arrived at a recorded round.
void record(State& state, const Recording& recording, std::size_t replica);

}  // namespace dbandit::kernel
