#pragma once

#include "kernel/books.hpp"
#include "kernel/lanes.hpp"
#include "kernel/setup.hpp"

/// Exposure under an estimated delay law (appendix on delay-agnostic policies).
namespace dbandit::kernel {

struct LearnedDelays {
  enum class Kind {
    none,        ///< the policy knows the law, or needs none
    mean,        ///< an online mean, uncensored
    likelihood,  ///< the likeliest mean, truncation allowed for
    window       ///< the empirical CDF, censored
  };
  Kind kind = Kind::none;
  double gamma = 1;
  double* exposure = nullptr;     ///< Ñ by the estimate
  double* observed = nullptr;     ///< [lane] n, delays observed so far
  double* mean_delay = nullptr;   ///< [lane] μ̂
  double* delay_total = nullptr;  ///< [lane] likelihood: their sum
  double* unseen = nullptr;       ///< O of a mean
  double* matches = nullptr;      ///< Σ_j N_k(t − D_j): the exact integer n Ñ of a window
  bool narrow_counts = true;      ///< 16-bit counts hold every observation: horizon < 65536
  std::size_t span = 0;           ///< m + 1
  void* recent = nullptr;         ///< [lane][recent_stride] arm ids, newest first from recent_at
  std::size_t recent_at = 0;
  void* histogram = nullptr;  ///< [lane][histogram_stride] observed delays

  [[nodiscard, gnu::always_inline]] std::size_t histogram_stride() const { return (span + 31) / 32 * 32; }
  [[nodiscard, gnu::always_inline]] std::size_t recent_stride() const { return 2 * span + 33; }

  void size(const model::Experiment& experiment, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Books& books);
};

/// μ̂ from n observed delays by the end of a round, truncation allowed for.
double likeliest_mean(double n, double total, std::int64_t round);
/// The weight n^−γ of the n-th observed delay.
double observation_weight(double gamma, double n);

/// Uncensored: μ̂ ← (1 − n^−γ) μ̂ + n^−γ D at the n-th observed delay.
template <class Arch>
inline void observe_mean(const LearnedDelays& s, std::size_t lane, double delay) {
  const double n = s.observed[lane] + 1;
  s.observed[lane] = n;
  const double weight = s.gamma == 1 ? 1 / n : observation_weight(s.gamma, n);
  s.mean_delay[lane] = (1 - weight) * s.mean_delay[lane] + weight * delay;
}

/// The same by likelihood: a sum of integers, so the order of same-round arrivals does not matter.
template <class Arch>
inline void observe_likelihood(const LearnedDelays& s, std::size_t lane, double delay, std::int64_t round) {
  s.observed[lane] += 1;
  s.delay_total[lane] += delay;
  s.mean_delay[lane] = likeliest_mean(s.observed[lane], s.delay_total[lane], round);
}

/// O ← ρ̂(O + 1{pulled}) with the ρ̂ of now, then Ñ = N − O; 0 before the first observation, so that all arms tie.
template <class Arch>
inline void expose_by_mean(const LearnedDelays& s, const Books& books) {
  using D = Doubles<Arch>;
  for (std::size_t lane = 0; lane < books.lanes; ++lane) s.unseen[books.arm(lane) * books.lanes + lane] += 1;
  for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
    const D mean = D::load_aligned(s.mean_delay + lane);
    const D ratio = mean / (D(1.0) + mean);
    const auto blind = D::load_aligned(s.observed + lane) == D(0.0);
    for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes) {
      const D unseen = ratio * D::load_aligned(s.unseen + cell);
      unseen.store_aligned(s.unseen + cell);
      xsimd::select(blind, D(0.0), D::load_aligned(books.pulls + cell) - unseen).store_aligned(s.exposure + cell);
    }
  }
}

/// Censored. With n observed delays D_j the plug-in exposure is Ñ_k = (1/n) Σ_j N_k(t − D_j): an integer over n. A round adds to
/// it the observations whose pull of that age was of arm k: O(m) a round, contiguous per lane, a vector of ages at a time. Count is
/// the narrowest integer that holds n, so horizon < 65536 halves the work.
template <class Arch, class Count>
struct Matches {
  using Counts = xsimd::batch<Count, Arch>;

  Matches(LearnedDelays& learned, const Books& its_books)
      : s(learned),
        books(its_books),
        span(learned.span),
        recent(static_cast<Count*>(learned.recent)),
        histogram(static_cast<Count*>(learned.histogram)) {}

  /// Ids of a lane's last pulls, newest first.
  Count* ids(std::size_t lane) const { return recent + lane * s.recent_stride() + s.recent_at; }
  Count* seen(std::size_t lane) const { return histogram + lane * s.histogram_stride(); }

  void make_room() const {
    for (std::size_t lane = 0; lane < books.lanes; ++lane) {
      Count* const from = recent + lane * s.recent_stride();
      for (std::size_t i = span - 1; i-- > 0;) from[span + 1 + i] = from[i];
    }
    s.recent_at = span + 1;
  }

  /// Every observed delay is shorter than the time played, so each observation grows exactly one arm: the last takes what the others
  /// leave.
  void age() const {
    if (s.recent_at == 0) make_room();
    --s.recent_at;
    for (std::size_t lane = 0; lane < books.lanes; ++lane) {
      const Count* const arms = ids(lane);
      *ids(lane) = static_cast<Count>(books.action[lane]);
      double others = 0;
      for (std::size_t arm = 0; arm + 1 < books.arms; arm += 2) {
        const Counts id0(static_cast<Count>(arm)), id1(static_cast<Count>(arm + 1)), none(Count{0});
        Counts grown0 = none, grown1 = none;
        const Count* const weight = seen(lane);
        for (std::size_t age = 0; age < span; age += Counts::size) {  // the histogram is padded with zeros
          const Counts pulled = Counts::load_unaligned(arms + age), count = Counts::load_aligned(weight + age);
          grown0 = grown0 + xsimd::select(pulled == id0, count, none);
          grown1 = grown1 + xsimd::select(pulled == id1, count, none);
        }
        others += add(arm, lane, grown0);
        if (arm + 2 < books.arms) others += add(arm + 1, lane, grown1);
      }
      s.matches[(books.arms - 1) * books.lanes + lane] += s.observed[lane] - others;
    }
  }

  /// A new delay D: it matches every pull at least D rounds old, N_k(t − D) of them.
  void observe(std::size_t lane, std::uint32_t delay) const {
    s.observed[lane] += 1;
    assert(delay < span);
    seen(lane)[delay] += 1;
    for (std::size_t arm = 0; arm < books.arms; ++arm) s.matches[arm * books.lanes + lane] += books.pulls[arm * books.lanes + lane];
    for (std::uint32_t age = 0; age < delay; ++age) s.matches[ids(lane)[age] * books.lanes + lane] -= 1;
  }

 private:
  double add(std::size_t arm, std::size_t lane, const Counts& grown) const {
    alignas(64) Count part[Counts::size];
    grown.store_aligned(part);
    std::uint64_t sum = 0;
    for (const Count p : part) sum += p;
    s.matches[arm * books.lanes + lane] += static_cast<double>(sum);
    return static_cast<double>(sum);
  }

  LearnedDelays& s;
  const Books& books;
  std::size_t span;
  Count* recent;
  Count* histogram;
};

template <class Arch>
inline void expose_by_matches(const LearnedDelays& s, const Books& books) {
  using D = Doubles<Arch>;
  for (std::size_t lane = 0; lane < books.lanes; lane += D::size) {
    const D n = D::load_aligned(s.observed + lane);
    const auto blind = n == D(0.0);
    const D divisor = xsimd::select(blind, D(1.0), n);
    for (std::size_t cell = lane; cell < books.cells(); cell += books.lanes) {
      (D::load_aligned(s.matches + cell) / divisor).store_aligned(s.exposure + cell);
    }
  }
}

}  // namespace dbandit::kernel
