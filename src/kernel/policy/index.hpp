#pragma once

#include "kernel/policy/bernoulli.hpp"
#include "kernel/policy/bernoulli_planes.hpp"
#include "kernel/policy/clamped_ties.hpp"
#include "kernel/policy/exploration.hpp"
#include "kernel/policy/family.hpp"
#include "kernel/policy/lead.hpp"
#include "kernel/policy/learned_delays.hpp"
#include "kernel/policy/poisson.hpp"

/// Policies that play the arm of largest index, (base + gain x)/Ñ with an x common to all lanes.
namespace dbandit::kernel {

/// The KL numerators of a span of rounds: h(S, ·) by its tangent at the span's middle, and the error that it may have.
struct Span {
  std::int64_t end = 0;  ///< first round after the span; 0: none yet
  double beta = 0;       ///< at which the tangents touch
  double margin = 0;     ///< relative error that the span's numerators may have

  void begin(double epsilon, std::int64_t horizon, std::int64_t round);
  /// The same for the Bernoulli numerators, by their planes.
  void begin_planes(double epsilon, std::int64_t horizon, std::int64_t round);

 private:
  /// The rounds until β has grown by this share of the logarithm, and by what share it then has.
  double stretch(double epsilon, std::int64_t horizon, std::int64_t round, double share);
};

struct Index : Family {
  static constexpr std::size_t kChanged = 256;

  model::Statistic statistic = model::Statistic::none;
  model::IndexForm form = model::IndexForm::ucb;
  bool clamped = false;
  model::Solver solver = model::Solver::direct;
  std::int64_t start_rounds = 0;  ///< arms in their start order: once, or until every arm has a matured pull (§6, Discarding)
  Exploration exploration;
  Span span;
  double radius_scale = 0.5;
  double window_cdf = 1;                ///< τ_m
  bool by_arm = false;                  ///< Discarding where the arms have laws of their own
  double* window_cdf_by_arm = nullptr;  ///< [arm] τ_m
  double* visible = nullptr;            ///< their τ_m M
  double* base = nullptr;               ///< of a KL numerator: the intercept of its tangent
  double* gain = nullptr;               ///< UCB √(N/2), KL the tangent's slope in β
  double* rise = nullptr;               ///< Bernoulli KL: the plane's slope in M
  double* last = nullptr;               ///< Bernoulli KL: M up to which the plane is good
  std::size_t outgrown = 0;             ///< Bernoulli KL: cells at the front of `changed` whose M will be above `last` after this round
  std::uint32_t* changed = nullptr;     ///< (arm, lane) cells whose conversions moved this round
  double* touched = nullptr;            ///< their conversions, gathered, then their tangents: 3 × kChanged
  bool leads = false;  ///< whether a lead can be certain for longer than a round: Ñ falls for no arm, and grows by 1 at most
  std::int64_t* certain_until = nullptr;  ///< [vector] round up to which the arm ahead stays there unless another one's conversion shows
  LearnedDelays learned;

  void size(const Setup& setup, const Books& books);
  void declare(Rows& rows, const Books& books);
  void fill(const Setup& setup, const Books& books);

  [[nodiscard, gnu::always_inline]] bool has_radius() const { return form == model::IndexForm::ucb || form == model::IndexForm::patient; }
  [[nodiscard, gnu::always_inline]] bool has_tangents() const { return form == model::IndexForm::klucb && solver == model::Solver::direct; }
  [[nodiscard, gnu::always_inline]] bool has_planes() const { return form == model::IndexForm::bernkl; }
  [[nodiscard, gnu::always_inline]] Radius radius() const {
    if (!has_radius()) return {};
    return {statistic == model::Statistic::matured ? RadiusOf::matured : RadiusOf::pulls, gain, radius_scale};
  }
  /// What multiplies the radius. PatientBandits' allowance: N^-1/2 on an index whose radius is √(N/2) √β / N is √2 on √β.
  [[nodiscard, gnu::always_inline]] double radius_factor() const {
    return form == model::IndexForm::patient ? exploration.root_beta + 1.4142135623730951 : exploration.root_beta;
  }
  /// A conversion has been disclosed: the lead of its lane is uncertain, unless it is the leader's own.
  template <class Arch>
  [[gnu::always_inline]] void doubt(const Books& books, std::size_t lane, std::size_t arm) const {
    if (leads && arm_of(books.action[lane]) != arm) certain_until[lane / Doubles<Arch>::size] = 0;
  }
  /// What the index divides by.
  [[nodiscard, gnu::always_inline]] Denominator denominator(const Books& books, const Exposure& exposure) const {
    using Kind = Denominator::Kind;
    if (learned.kind != LearnedDelays::Kind::none) return {.row = learned.exposure};
    if (by_arm) return {.row = visible};
    if (statistic == model::Statistic::exposure) return exposure.denominator(books);
    if (statistic == model::Statistic::matured) return {.kind = Kind::matured, .matured = books.matured, .over = window_cdf};
    return {.kind = Kind::pulls, .pulls = books.pulls};
  }

  template <class Arch>
  [[nodiscard, gnu::always_inline]] Planes<Arch> planes(const Books& books, double beta) const {
    return {base, gain, rise, books.conversions, books.matured, beta};
  }
  template <class Arch>
  void list_outgrown(const Books& books, std::int64_t round);

  template <class Arch>
  void choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round);
  template <class Arch>
  void settle_by_keys(const Books& books, const Exposure& exposure, Ties& ties) const;
  std::size_t resolve(const Books& books, const Exposure& exposure, const Ties& ties, std::int64_t round, std::size_t lane) const;
  /// τ_m M where the arms have laws of their own.
  template <class Arch>
  void after_account(const Books& books) const;
};

/// A numerator linear in a quantity that all lanes share.
template <class Arch>
struct Linear {
  using D = Doubles<Arch>;
  D operator()(std::size_t cell) const { return D::load_aligned(base + cell) + D::load_aligned(gain + cell) * D(x); }
  static constexpr int kDeterminants = 1;
  D determinant(std::size_t cell, int) const { return (*this)(cell); }
  const double *base, *gain;
  double x;
};

/// The tangent of h(S, ·) at `beta`: slope g' = x/(x−1), intercept S x − slope β.
template <class Arch>
inline void tangent(const Doubles<Arch>& conversions, const Doubles<Arch>& beta, Doubles<Arch>& base, Doubles<Arch>& gain) {
  using D = Doubles<Arch>;
  const auto none = conversions == D(0.0);
  const D safe = xsimd::select(none, D(1.0), conversions);
  const D y = excess_polynomial<Arch>(beta / safe);
  const D slope = (D(1.0) + y) / y;
  gain = xsimd::select(none, D(1.0), slope);
  base = xsimd::select(none, D(0.0), (safe + safe * y) - slope * beta);
}

/// Of `count` values of S (padded to a vector).
template <class Arch>
inline void tangents(double beta, const double* conversions, std::size_t count, double* base, double* gain) {
  using D = Doubles<Arch>;
  for (std::size_t i = 0; i < count; i += D::size) {
    D b, g;
    tangent<Arch>(D::load_aligned(conversions + i), D(beta), b, g);
    g.store_aligned(gain + i);
    b.store_aligned(base + i);
  }
}

/// Lists the cells whose conversions move, and renews their tangents, a vector at a time. Before them come the cells whose plane M outgrew.
template <class Arch>
struct ChangedCells {
  ChangedCells(const Index& of, const Books& its_books)
      : index(of), books(its_books), listing(of.span.end > 0), outgrown(of.outgrown), count(of.outgrown) {}
  void operator()(std::size_t cell) {
    if (!listing) return;
    index.changed[count++] = static_cast<std::uint32_t>(cell);
    if (count == outgrown + Index::kChanged) renew();
  }
  void renew() {
    if (count == 0) return;  // a policy without tangents has no rows for them
    index.has_planes() ? renew_planes() : renew_tangents();
    outgrown = count = 0;
  }

 private:
  void renew_planes() const {
    using D = Doubles<Arch>;
    const D beta(index.span.beta);
    alignas(64) double seen[D::size], pulls[D::size], excess[D::size], plane[4][D::size];
    for (std::size_t at = 0; at < count; at += D::size) {
      const std::size_t here = count - at < D::size ? count - at : D::size;
      for (std::size_t i = 0; i < D::size; ++i) {
        const std::size_t cell = index.changed[at + (i < here ? i : 0)];
        seen[i] = books.conversions[cell], pulls[i] = books.matured[cell];
        // A plane that M outgrew is a good guess still; after a conversion the series is a better one.
        excess[i] = at + i < outgrown ? index.base[cell] + index.gain[cell] * index.span.beta + index.rise[cell] * pulls[i] - seen[i] : 0;
      }
      const D z = D::load_aligned(seen), m = D::load_aligned(pulls), guess = D::load_aligned(excess);
      const Plane<Arch> found = touch<Arch>(z, m, beta, xsimd::select(guess > D(0.0), guess, excess_guess<Arch>(z, m, beta)));
      found.base.store_aligned(plane[0]), found.gain.store_aligned(plane[1]);
      found.rise.store_aligned(plane[2]), found.last.store_aligned(plane[3]);
      for (std::size_t i = 0; i < here; ++i) {
        const std::size_t cell = index.changed[at + i];
        index.base[cell] = plane[0][i], index.gain[cell] = plane[1][i], index.rise[cell] = plane[2][i], index.last[cell] = plane[3][i];
      }
    }
  }
  void renew_tangents() const {
    double* const base = index.touched + Index::kChanged;
    double* const gain = base + Index::kChanged;
    for (std::size_t i = 0; i < count; ++i) index.touched[i] = books.conversions[index.changed[i]];
    tangents<Arch>(index.span.beta, index.touched, count, base, gain);
    for (std::size_t i = 0; i < count; ++i) {
      index.base[index.changed[i]] = base[i];
      index.gain[index.changed[i]] = gain[i];
    }
  }

  const Index& index;
  const Books& books;
  bool listing;
  std::size_t outgrown, count;
};

template <class Arch>
inline void Index::after_account(const Books& books) const {
  using D = Doubles<Arch>;
  for (std::size_t arm = 0; by_arm && arm < books.arms; ++arm) {
    const D tau(window_cdf_by_arm[arm]);
    for (std::size_t cell = arm * books.lanes; cell < (arm + 1) * books.lanes; cell += D::size) {
      (tau * D::load_aligned(books.matured + cell)).store_aligned(visible + cell);
    }
  }
}

/// num′ of a numerator base + gain x: its gain, times what is given.
template <class Arch>
struct Slope {
  using D = Doubles<Arch>;
  D operator()(std::size_t cell) const { return D::load_aligned(gain + cell) * D(factor); }
  const double* gain;
  double factor;
};

/// Chooses by numerators linear in β or √β, `factor` times their gain being num′, and keeps the lead.
template <class Arch, bool clamped, class Above, class Under>
inline void choose_linear(const Index& index, const Books& books, Ties& ties, std::int64_t round, double margin, const Above& above,
                          double factor, Under below) {
  constexpr bool may_be_zero = Under::kind == Denominator::Kind::row;
  if (!index.leads) return choose_largest<Arch, clamped, may_be_zero>(books, ties, margin, above, below, NoLead());
  if constexpr (clamped) {
    if (!ties.lowest && ties.are_many(books)) settle_clamped<Arch>(books, ties, round, margin, above, below, index.certain_until);
  }
  const Lead<Arch, Slope<Arch>> lead{.until = index.certain_until,
                                     .round = round,
                                     .growth = (1 + index.exploration.epsilon) / static_cast<double>(round),
                                     .margin = margin + 2 * kTie,
                                     .slope = {above.gain, factor}};
  choose_largest<Arch, clamped, may_be_zero>(books, ties, margin, above, below, lead);
}

template <class Arch, bool clamped, class Under>
inline void choose_klucb(const Index& index, const Books& books, Ties& ties, std::int64_t round, Under below) {
  using D = Doubles<Arch>;
  constexpr bool may_be_zero = Under::kind == Denominator::Kind::row;
  const double beta = index.exploration.beta;
  switch (index.solver) {
    case model::Solver::direct:
      // A tangent touches at the middle of its span. Before it h′ is larger, by the share Δβ/(S (x−1)²) ≤ Δβ/(2β), below a hundredth.
      return choose_linear<Arch, clamped>(index, books, ties, round, index.span.margin, Linear<Arch>{index.base, index.gain, beta}, 1.01,
                                          below);
    case model::Solver::newton:
      return choose_largest<Arch, clamped, may_be_zero>(
          books, ties, 2 * kTie,
          [&](std::size_t cell) {
            return poisson_bound<Arch>(D::load_aligned(books.conversions + cell), beta, excess_newton<Arch, kFullSteps>);
          },
          below, NoLead());
    case model::Solver::bisection:
      return choose_largest<Arch, clamped, may_be_zero>(
          books, ties, 2 * kTie,
          [&](std::size_t cell) { return poisson_bound<Arch>(D::load_aligned(books.conversions + cell), beta, excess_bisection<Arch>); },
          below, NoLead());
  }
}

/// The planes of every cell, at the beginning of a span; from those of the last span where there was one.
template <class Arch>
[[gnu::noinline]] void touch_all(const Index& index, const Books& books, bool is_first) {
  using D = Doubles<Arch>;
  const D beta(index.span.beta);
  const Planes<Arch> planes = index.planes<Arch>(books, index.span.beta);
  for (std::size_t cell = 0; cell < books.cells(); cell += D::size) {
    const D z = D::load_aligned(books.conversions + cell), m = D::load_aligned(books.matured + cell);
    const Plane<Arch> found = touch<Arch>(z, m, beta, is_first ? excess_guess<Arch>(z, m, beta) : planes(cell) - z);
    found.base.store_aligned(index.base + cell), found.gain.store_aligned(index.gain + cell);
    found.rise.store_aligned(index.rise + cell), found.last.store_aligned(index.last + cell);
  }
}

/// Lists the cells whose M will outgrow their plane when this round's account is kept: of the arms that leave the window then.
template <class Arch>
inline void Index::list_outgrown(const Books& books, std::int64_t round) {
  outgrown = 0;
  if (books.ring.length == 0 || round <= books.ring.length) return;
  books.ring.with_type([&]<class ArmId>(ArmId) {
    const ArmId* const leaving = books.ring.slot<ArmId>(round, books.lanes);
    std::size_t listed = 0;
    for (std::size_t lane = 0; lane < books.lanes; ++lane) {
      const std::size_t cell = static_cast<std::size_t>(static_cast<std::int64_t>(leaving[lane])) * books.lanes + lane;
      changed[listed] = static_cast<std::uint32_t>(cell);
      listed += books.matured[cell] + 1 > last[cell];
    }
    outgrown = listed;
  });
}

template <class Arch>
inline void Index::choose(const Books& books, const Exposure& exposure, Ties& ties, std::int64_t round) {
  if (play_in_order<Arch>(books, round, start_rounds)) return;
  if (has_tangents() && round >= span.end) {
    span.begin(exploration.epsilon, books.horizon, round);
    tangents<Arch>(span.beta, books.conversions, books.cells(), base, gain);
  }
  if (has_planes()) {
    if (round >= span.end) {
      const bool is_first = span.end == 0;
      span.begin_planes(exploration.epsilon, books.horizon, round);
      touch_all<Arch>(*this, books, is_first);
    }
    list_outgrown<Arch>(books, round);
  }
  exploration.look_up(round);
  denominator(books, exposure).with_kind<Arch>([&]<class Under>(Under below) {
    if (has_radius()) {
      choose_linear<Arch, false>(*this, books, ties, round, 2 * kTie, Linear<Arch>{books.conversions, gain, radius_factor()},
                                 0.5 / exploration.root_beta, below);
    } else if (has_planes()) {
      // A plane is above its numerator at every β to come, so its slope needs no room.
      if constexpr (Under::kind == Denominator::Kind::matured || Under::kind == Denominator::Kind::row) {
        const Planes<Arch> above = planes<Arch>(books, exploration.beta);
        clamped ? choose_linear<Arch, true>(*this, books, ties, round, span.margin, above, 1, below)
                : choose_linear<Arch, false>(*this, books, ties, round, span.margin, above, 1, below);
      }
    } else {
      clamped ? choose_klucb<Arch, true>(*this, books, ties, round, below) : choose_klucb<Arch, false>(*this, books, ties, round, below);
    }
  });
}

/// Which arms of a vector tie with the one ahead. Clamped ones do. So do those whose numerator is the same number and whose Ñ is the same
/// but for what its recursion rounds off: many, once all pulls of many arms are as old as the window.
template <class Arch, bool clamped, class Above, class Under>
struct TiedArms {
  using D = Doubles<Arch>;
  TiedArms(const Books& books, std::size_t lane, const Above& numerator, Under denominator, double margin)
      : above(numerator), below(denominator), least(1 - 2 * margin), most(1 + 4 * margin) {
    const D top_above = of_top(books, lane, above);
    top_below = of_top(books, lane, below);
    for (int i = 0; i < Above::kDeterminants; ++i) {
      top[i] = of_top(books, lane, [&](std::size_t cell) { return above.determinant(cell, i); });
    }
    tie_below = top_below * D(1 + kTie / 2);
    largest = clamped ? xsimd::min(top_above, top_below) : top_above;
  }
  [[gnu::always_inline]] void operator()(std::size_t cell, Mask<Arch>& certain, Mask<Arch>& possible) const {
    const D over = above(cell), under = below(cell), over_most = over * D(most);
    certain = (above.determinant(cell, 0) == top[0]) & (under <= tie_below) & (under > D(0.0));
    // The one ahead has the largest estimate: only where equal numerators have equal ones is none with a smaller denominator ahead of it.
    if constexpr (Above::kDeterminants == 2) {
      certain = certain & (above.determinant(cell, 1) == top[1]) & (under * D(1 + kTie / 2) >= top_below);
    }
    if constexpr (clamped) certain = (over * D(least) >= under) | (certain & (over_most < under));
    possible = over_most * top_below >= largest * under;
  }

  /// What every lane has of the arm that it plays.
  template <class Of>
  [[gnu::always_inline]] static D of_top(const Books& books, std::size_t lane, const Of& of) {
    alignas(64) double top[D::size], every[D::size];
    for (std::size_t i = 0; i < D::size; ++i) {
      of(lane + arm_of(books.action[lane + i]) * books.lanes).store_aligned(every);
      top[i] = every[i];
    }
    return D::load_aligned(top);
  }

  Above above;
  Under below;
  double least, most;
  D top[Above::kDeterminants], top_below, tie_below, largest;
};

template <class Arch>
inline void Index::settle_by_keys(const Books& books, const Exposure& exposure, Ties& ties) const {
  if (!has_radius() && !has_tangents() && !has_planes()) return;
  const double margin = has_radius() ? 2 * kTie : span.margin;
  denominator(books, exposure).with_kind<Arch>([&]<class Under>(Under below) {
    const auto settle = [&]<class Above>(const Above& above) {
      if (clamped) {
        kernel::settle_by_keys<Arch>(
            books, ties, [&](std::size_t lane) { return TiedArms<Arch, true, Above, Under>(books, lane, above, below, margin); });
      } else {
        kernel::settle_by_keys<Arch>(
            books, ties, [&](std::size_t lane) { return TiedArms<Arch, false, Above, Under>(books, lane, above, below, margin); });
      }
    };
    if (has_planes()) {
      if constexpr (Under::kind == Denominator::Kind::matured || Under::kind == Denominator::Kind::row) {
        settle(planes<Arch>(books, exploration.beta));
      }
    } else {
      settle(has_radius() ? Linear<Arch>{books.conversions, gain, radius_factor()} : Linear<Arch>{base, gain, exploration.beta});
    }
  });
}

}  // namespace dbandit::kernel
