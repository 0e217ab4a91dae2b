#pragma once

#include <cstddef>
#include <cstdint>

#include "dbandit/model/experiment.hpp"

namespace dbandit::model {
class DelayTable;
}

/// The state of a block of replicas, as structure of arrays. Allocated by workspace.cpp, advanced by rounds.hpp (once per
/// instruction set), read by simulate.cpp. Raw pointers on purpose: no container's inline function may be compiled into
/// a file whose instruction set is not everybody's.
namespace dbandit::kernel {

/// Pending disclosures by round: a wheel of buckets, each a chain of 14-entry chunks in order of arrival. Its length is the
/// window (or the longest delay that can be drawn), never the horizon.
template <class Entry>
struct Calendar {
  static constexpr std::uint32_t kEntries = 14;
  struct Chunk {
    Entry entry[kEntries];
    Entry next;   ///< chunk that continues this one; 0: none (chunk 0 is a bucket's first, never a continuation)
    Entry count;  ///< in a bucket's first chunk: entries of the whole chain
  };
  Chunk* chunks = nullptr;  ///< [buckets] first chunks, then the pool
  std::uint32_t buckets = 0;
  std::uint32_t capacity = 0;  ///< chunks in all
  std::uint32_t used = 0;      ///< chunks handed out so far
  std::uint32_t free = 0;      ///< head of the list of returned chunks; 0: none
  std::uint32_t now = 0;       ///< bucket of the current round
  void* owner = nullptr;       ///< the storage that `grow` enlarges
};

/// Makes room for more chunks; the only allocation that can happen during the rounds.
void grow(Calendar<std::uint32_t>& calendar);
void grow(Calendar<std::uint64_t>& calendar);

/// The exposure by recursion (§7), scaled so that an idle arm costs nothing. The deficit of an arm, W ← ρ(W + 1{pulled}) −
/// ρ^{m+1} 1{leaving the window}, is kept as w = W/ρ^j, j rounds into the current period: then a round changes w only for the
/// arm pulled (+ρ^{−j}) and the arm that leaves (−ρ^{m−j}), and Ñ = (N − ρ^{m+1} M) − ρ^j w. Every `period` rounds all w are
/// multiplied by ρ^period. Rounding is contracted by ρ as in the plain form.
struct Decay {
  static constexpr int kPeriod = 64;
  int period = kPeriod;       ///< shorter where ρ^64 would leave the range of a double
  int phase = 0;              ///< j
  double power[kPeriod + 1];  ///< ρ^j
  double pull[kPeriod];       ///< ρ^{−j}
  double leave[kPeriod];      ///< ρ^{m−j}
  double matured = 0;         ///< ρ^{m+1}, 0 when uncensored
};

/// One part of a sum of geometric laws at a phase of its period: the same scaling as Decay, the part's weight included.
struct PartCoefficients {
  double pull;   ///< w ρ^{−j}
  double leave;  ///< w ρ^{m−j}; 0 when uncensored
  double power;  ///< ρ^{j+1}: what the deficits count for after the round
};

/// Which state the exposure is kept in.
enum class Tracking {
  deficit,  ///< Decay: geometric law, for every policy
  parts,    ///< one scaled deficit for each geometric part of a mixture or of a fit
  sums,     ///< uniform law: pulls not yet certain to be seen, and the sum of their ages, in exact integers
  echo,     ///< constant delay: the pulls of that age
  stages,   ///< negative binomial: what waits in each stage
  buffer,   ///< the last pulls times τ of their age
  none      ///< nothing: the policy does not need it, and the regret is summed at the recorded rounds
};

/// Indices closer than this, relatively, are tied. Ñ carries a rounding noise of a few 1e-16 that depends on how it is computed; arms
/// whose indices are equal by definition (the same S and M, all pulls matured) must not be told apart by it.
inline constexpr double kTie = 1e-12;

/// PatientBandits' allowance: N^-1/2 on an index whose radius is √(N/2) √β / N is √2 on √β.
inline constexpr double kPatience = 1.4142135623730951;

/// How the ring stores an arm: as narrow as it fits, or as a double where the buffer compares it with doubles.
enum class ArmIds { byte, word, real };

/// What the denominator of an index is.
enum class Denominator { recursion, matured, pulls, row };

struct State {
  static constexpr std::size_t kChanged = 256;
  /// Up to here the books are kept row by row under masks; beyond, cell by cell.
  static constexpr std::size_t kFewArms = 4;

  // What is simulated.
  std::size_t lanes = 0;  ///< row stride, a multiple of kLaneGroup
  std::size_t arms = 0;
  std::uint64_t first = 0;
  std::uint64_t seed = 0;
  std::int64_t horizon = 0;
  std::int64_t window = 0;  ///< m; 0 when uncensored
  std::int64_t reach = 0;   ///< a conversion whose delay exceeds this is never seen: m, or the longest delay there is
  model::Statistic statistic = model::Statistic::none;
  model::IndexForm index = model::IndexForm::ucb;
  bool clamped = false;
  bool lowest_ties = false;
  double epsilon = 0;
  double gamma = 1;
  double prior_shape = 1, prior_rate = 1;
  double window_cdf = 1;      ///< τ_m
  double radius_scale = 0.5;  ///< the radius of an arm with n pulls is √(n · radius_scale) √β
  Tracking tracking = Tracking::deficit;
  bool world_at_records = false;  ///< the regret is summed over the ring when it is recorded: the tracked law is not the world's
  model::Solver solver = model::Solver::direct;
  Denominator denominator = Denominator::recursion;

  // The world.
  const std::uint64_t* threshold = nullptr;  ///< [arm] conversion iff the uniform's 52 bits are below
  std::uint64_t best_threshold = 0;
  double inverse_log = 0;  ///< geometric law: 1 / ln ρ; 0 when every delay is 0
  const model::DelayLaw* law = nullptr;
  const model::DelayTable* const* delay_tables = nullptr;  ///< by arm, or one; none for a geometric law
  bool delays_by_arm = false;
  std::size_t best_arm = 0;  ///< with which the realised regret compares

  // Rows, [arm][lane] unless said.
  double* pulls = nullptr;         ///< N
  double* matured = nullptr;       ///< M
  double* deficit = nullptr;       ///< w
  double* conversions = nullptr;   ///< S (Z for matured, ΣC for immediate); the index's base when it is UCB's
  double* base = nullptr;          ///< numerator of the index = base + gain · x, x common to all lanes:
  double* gain = nullptr;          ///<   UCB  S + √(N/2) · √β;  KL  the tangent of h(S, ·) at the middle of a span of rounds
  double* exposure = nullptr;      ///< Ñ where it is not a recursion: buffer, agnostic
  double* missed = nullptr;        ///< [lane] disclosed conversions of the best arm that ours were not
  double* action = nullptr;        ///< [lane] A_t, as a real so that it compares with vectors of them
  std::uint16_t* order = nullptr;  ///< start order, [position][lane]
  void* ring = nullptr;            ///< [ring_length][lane] arm ids of the last pulls; round s is in slot s mod ring_length
  std::int64_t ring_length = 0;    ///< m; for the buffer in the uncensored setting the reach; 0: no ring
  ArmIds arm_ids = ArmIds::byte;
  const double* const* cdf = nullptr;        ///< [arm] τ_0 … τ_{ring_length} as the policy believes, for the buffer
  const double* const* world_cdf = nullptr;  ///< [arm] the same of the world, for the regret

  // Exposures that are kept as a row: parts, sums, echo, stages.
  std::size_t parts = 0;                           ///< per arm; stages of a negative binomial
  std::size_t parts_stride = 0;                    ///< 0: all arms have the same coefficients
  const PartCoefficients* coefficients = nullptr;  ///< [phase][arm or one][part]
  std::size_t coefficients_stride = 0;             ///< of a phase
  int parts_period = 1, parts_phase = 0;
  const double* renewal = nullptr;            ///< [arm or one][part] ρ^period
  const double* window_survival = nullptr;    ///< [arm] 1 − τ_m; 0 when uncensored
  const double* window_cdf_by_arm = nullptr;  ///< [arm] τ_m, for Discarding where it differs by arm
  double* waiting = nullptr;                  ///< [arm][part][lane] scaled deficits; what waits in each stage
  double* gone = nullptr;                     ///< [lane] the arm that leaves the window this round; −1: none
  double stage_chance = 0;                    ///< 1 − ρ of a stage
  const double* stage_left = nullptr;         ///< [stage] what is left there at the end of the window
  double* carry = nullptr;                    ///< stages: what the exposure's last sum rounded off
  double* growing = nullptr;                  ///< sums: pulls whose chance to be visible still grows
  double* ages = nullptr;                     ///< sums: Σ min(age + 1, LAST + 1, m + 1)
  double sums_divisor = 1;                    ///< LAST + 1
  void* echo_ring = nullptr;                  ///< as ring, of the last echo_lag pulls
  std::int64_t echo_lag = 0;
  std::int64_t echo_length = 0;

  Decay decay;
  Calendar<std::uint32_t> calendar;
  Calendar<std::uint64_t> calendar_of_delays;  ///< when the policy learns from the delays themselves

  // Exploration.
  static constexpr int kLookAhead = 64;
  double beta = 0, root_beta = 0;  ///< β and √β of the round
  std::int64_t beta_first = 0;     ///< round of the first entry; 0: none yet
  double beta_ahead[kLookAhead] = {};
  double root_ahead[kLookAhead] = {};

  // The tangent span of the filtered KL index.
  std::int64_t span_end = 0;  ///< first round after the span
  double span_beta = 0;       ///< β at which the tangents touch
  double margin = 0;          ///< relative error that the span's numerators may have

  // Delay-agnostic policies.
  double* mean_delay = nullptr;   ///< [lane] μ̂
  double* observed = nullptr;     ///< [lane] n, delays observed so far
  double* delay_total = nullptr;  ///< [lane] their sum
  double* unseen = nullptr;       ///< O of agnostic_mean
  bool narrow_counts = true;      ///< 16-bit counts hold every observation: horizon < 65536
  void* recent = nullptr;         ///< [lane][recent_stride] arm ids, newest first from recent_at
  void* histogram = nullptr;      ///< [lane][histogram_stride] observed delays
  std::int64_t recent_at = 0;
  double* matches = nullptr;  ///< Σ_j N_k(t − D_j): the exact integer n Ñ of agnostic_window

  static constexpr std::size_t histogram_stride(std::int64_t window) { return (static_cast<std::size_t>(window) + 1 + 31) / 32 * 32; }
  static constexpr std::size_t recent_stride(std::int64_t window) { return 2 * (static_cast<std::size_t>(window) + 1) + 33; }

  /// 8 lanes share a call; room for the calls abreast of the widest target.
  static constexpr std::size_t words_stride(std::size_t lanes) { return (lanes / 8 + 15) / 16 * 16; }

  // The world's draws for a batch of rounds: one entry per conversion that some arm could have.
  static constexpr int kBatch = 8;
  std::int64_t batch_first = 0;              ///< its first round; 0: none drawn yet
  std::size_t batch_slice[kBatch + 1] = {};  ///< where each round's entries begin
  std::uint64_t* counter = nullptr;          ///< replica
  std::uint64_t* moment = nullptr;           ///< round
  std::uint64_t* uniform = nullptr;          ///< 52 bits of the conversion's uniform
  double* delay = nullptr;
  static constexpr std::size_t batch_size(std::size_t lanes) { return lanes * kBatch + 32; }

  // Scratch, one block of lanes each.
  std::uint64_t* words = nullptr;      ///< 2 per 8 lanes, padded
  std::uint32_t* due = nullptr;        ///< [lane] rounds until the conversion is filed for
  void* entries = nullptr;             ///< [lane] what is filed
  std::uint32_t* undecided = nullptr;  ///< [lane] lanes whose best arms the fast comparison could not separate
  std::size_t undecided_count = 0;
  std::uint32_t* changed = nullptr;   ///< (arm, lane) cells whose conversions moved this round
  double* touched = nullptr;          ///< their conversions, gathered, then their tangents: 3 × kChanged
  std::uint32_t* tie_keys = nullptr;  ///< [arm][lane]

  // Policies that draw samples, wait for queues or take turns (thompson.hpp, strategy.cpp).
  bool samples = false;                 ///< the largest posterior sample is played (or, beside a queue, preferred)
  bool queues = false;                  ///< a base behind queues decides
  bool takes_turns = false;             ///< the arms that are left take turns
  bool has_radius = false;              ///< the index is UCB's or has its radius
  std::uint32_t* unsure = nullptr;      ///< cells whose sample needs more than the first attempt
  double* fed = nullptr;                ///< what a base was fed
  double* fed_conversions = nullptr;    ///< and how many ones
  double* arrived = nullptr;            ///< conversions that have joined the queues
  double* expired = nullptr;            ///< matured pulls that have been looked at
  std::uint8_t* queued = nullptr;       ///< [cell][queue_length] rings of zeros and ones
  std::uint32_t* queue_head = nullptr;  ///< [cell]
  std::uint32_t* queue_size = nullptr;  ///< [cell]
  std::size_t queue_length = 0;         ///< no queue is longer; 0: only ones are queued, and their number is enough
  std::uint8_t* fate = nullptr;         ///< [window][lane] whether the pull converts within its window
  std::int64_t* steps = nullptr;        ///< [lane] the base's clock
  std::uint32_t* wish = nullptr;        ///< [lane] the base's wish
  std::uint8_t* dropped = nullptr;      ///< [cell] whether an elimination has dropped the arm
  std::uint32_t* turn = nullptr;        ///< [lane] place in the start order
  std::int32_t* phase = nullptr;        ///< [lane] phase of an elimination
  std::int64_t batch_end = 0;           ///< last round of an elimination's batch

  // What the round did, for the benchmarks.
  std::uint64_t ticks[8] = {};  ///< by Stage
  std::uint64_t decisions = 0;
  std::uint64_t resolved = 0;
};

/// Advances a block through rounds first..last. One per instruction set.
using Rounds = void (*)(State&, std::int64_t first, std::int64_t last);

/// β(t) = (1+ε) ln t, in one place so that every decision sees the same bits.
double exploration(const State& state, std::int64_t round);
/// Sets the round's β and √β; computed for many rounds at once.
void look_up_exploration(State& state, std::int64_t round);
/// Settles the lanes listed in state.undecided by exact indices, ties by the tie keys; writes their actions.
void resolve(State& state, std::int64_t round, bool keys_are_drawn);
/// Draws the samples of the first `listed` cells of state.unsure, however many attempts they need.
void finish_samples(State& state, std::int64_t round, std::size_t listed);
/// Puts what the last round disclosed into the queues. To be called while state.action is still that of the last round.
void fill_queues(State& state, std::int64_t round);
/// The base's wish for every lane; with a heuristic, state.action holds what it prefers and is overruled where it must be.
void ask_base(State& state);
/// The next arm in turn for every lane.
void take_turns(State& state, std::int64_t round);
/// μ̂ from n observed delays by the end of a round, truncation allowed for.
double likeliest_mean(double n, double total, std::int64_t round);
/// The weight n^−γ of the n-th observed delay.
double observation_weight(double gamma, double n);
/// Starts the span of rounds whose KL numerators are tangents touching at span_beta, and states their error.
void begin_span(State& state, std::int64_t round);
/// Turns the uniforms in state.delay into delays by the law's table.
void look_up_delays(State& state, std::size_t count);
/// The delay of an arm's conversion with that uniform.
std::int64_t arm_delay(const State& state, std::size_t arm, double v);
/// A delay that the fast logarithm could not place: the law's own inverse CDF.
std::int64_t exact_delay(const State& state, std::uint64_t replica, std::uint64_t round);

}  // namespace dbandit::kernel
