#pragma once

#include "kernel/account.hpp"
#include "kernel/stage_clock.hpp"
#include "kernel/state.hpp"

/// A block of replicas through its rounds, once per instruction set: choose -> convert -> account -> disclose (§2's clock; the state a
/// decision sees is that after the previous round). The stages are not inlined into each other, so that a profiler can tell them apart;
/// a call per block and round costs nothing.
namespace dbandit::kernel {

/// Pulls, matured pulls and the exposure after the round.
template <class Arch>
[[gnu::noinline]] void keep_books(State& s, std::int64_t round) {
  const Exposure& exposure = s.exposure;
  before_account<Arch>(exposure, s.books, round);
  Radius radius;
  s.policy.with_family([&](auto& family) { radius = family.radius(); });
  account<Arch>(s.books, exposure.deficit, exposure.form == Exposure::Form::deficit, radius, round);
  after_account<Arch>(s.exposure, s.books, round);
  s.policy.with_family([&](auto& family) { family.template after_account<Arch>(s.books); });
}

/// Credits the conversions disclosed this round; `observe` is shown each of ours.
template <class Arch, class Word, class Observe>
[[gnu::noinline]] void credit(const Books& books, Calendar<Word>& calendar, const Index& index, Observe observe) {
  ChangedCells<Arch> changed(index, books);
  const std::size_t lanes = books.lanes, arms = books.arms;
  double* const __restrict conversions = books.conversions;
  double* const __restrict missed = books.missed;
  disclose<Arch>(calendar, [&](Entry<Word> entry) {
    const std::size_t lane = entry.lane(), arm = entry.arm();
    assert(lane < lanes && arm <= arms + 1);
    if (arm >= arms) {
      missed[lane] += arm == arms ? 1 : -1;
      return;
    }
    const std::size_t cell = arm * lanes + lane;
    conversions[cell] += 1;
    observe(lane, entry);
    index.doubt<Arch>(books, lane, arm);
    changed(cell);
  });
  changed.renew();
}

/// Every policy sees its conversions; some learn more from them.
template <class Arch>
inline void disclose(State& s, std::int64_t round) {
  const Books& books = s.books;
  World& world = s.world;
  Policy& policy = s.policy;
  LearnedDelays& learned = policy.learned();
  using Entry64 = Entry<std::uint64_t>;
  // A conversion is credited, then `learn`s its delay, then the family hears of it.
  const auto credit_delays = [&](auto learn) {
    policy.with_family([&](auto& family) {
      if constexpr (requires { family.learned; }) {
        credit<Arch>(books, world.calendar_of_delays, policy.index, [&](std::size_t lane, Entry64 entry) {
          learn(lane, entry);
          if constexpr (std::remove_reference_t<decltype(family)>::hears_conversions) family.converted(books, entry.arm(), lane);
        });
      }
    });
  };
  const auto by_matches = [&]<class Count>(Count) {
    const MatchesOf<Arch, Count> matches(learned.matches, books, learned.observed, round);
    matches.grow();
    credit_delays([&](std::size_t lane, Entry64 entry) {
      learned.observed[lane] += 1;
      matches.observe(lane, entry.delay());
    });
    expose_by_matches<Arch>(learned, books);
  };
  switch (learned.kind) {
    case LearnedDelays::Kind::none:
      policy.with_family([&](auto& family) {
        credit<Arch>(books, world.calendar, policy.index, [&](std::size_t lane, Entry<std::uint32_t> entry) {
          if constexpr (std::remove_reference_t<decltype(family)>::hears_conversions) family.converted(books, entry.arm(), lane);
        });
      });
      break;
    case LearnedDelays::Kind::mean:
      credit_delays([&](std::size_t lane, Entry64 entry) { observe_mean<Arch>(learned, lane, entry.delay()); });
      expose_by_mean<Arch>(learned, books);
      break;
    case LearnedDelays::Kind::likelihood:
      credit_delays([&](std::size_t lane, Entry64 entry) { observe_likelihood<Arch>(learned, lane, entry.delay(), round); });
      renew_likeliest_means<Arch>(learned, round);
      expose_by_mean<Arch>(learned, books);
      break;
    case LearnedDelays::Kind::window:
      learned.matches.narrow ? by_matches(std::uint16_t{}) : by_matches(std::uint32_t{});
      break;
  }
  policy.with_family([&](auto& family) { family.observe(books, world, round); });
}

/// A block through rounds first..last.
template <class Arch, bool profiled>
void rounds(State& s, std::int64_t first, std::int64_t last) {
  const Denormals<Arch> mode(true);
  s.instruction_set = Arch::name();
  StageClock<Arch, profiled> clock(s.ticks);
  for (std::int64_t round = first; round <= last; ++round) {
    choose<Arch>(s.policy, s.books, s.exposure, round);
    clock.mark(Stage::index);
    settle<Arch>(s.policy, s.books, s.exposure, round);
    clock.mark(Stage::ties);
    if (s.world.draws.must_be_drawn(round)) {
      const std::size_t candidates = draw_batch<Arch>(s.world.draws, s.books, round);
      clock.mark(Stage::draw);
      draw_outcomes<Arch>(s.world.draws, candidates);
      clock.mark(Stage::delay);
    }
    convert<Arch>(s.world, s.books, round);
    clock.mark(Stage::calendar);
    keep_books<Arch>(s, round);
    clock.mark(Stage::books);
    disclose<Arch>(s, round);
    clock.mark(Stage::disclose);
  }
}

/// h(S, β) for an array of S.
template <class Arch>
void poisson_bounds(model::Solver solver, const double* conversions, double beta, double* bounds, std::size_t count) {
  using D = Doubles<Arch>;
  const auto solve = [&](auto excess) {
    for (std::size_t i = 0; i < count; i += D::size) {
      poisson_bound<Arch>(D::load_aligned(conversions + i), beta, excess).store_aligned(bounds + i);
    }
  };
  switch (solver) {
    case model::Solver::bisection:
      return solve(excess_bisection<Arch>);
    case model::Solver::newton:
      return solve(excess_newton<Arch, kFullSteps>);
    case model::Solver::direct:
      return solve(excess_polynomial<Arch>);
  }
}

/// The quantile of Gamma(shape, 1) at uniforms with these leading bits, as Thompson sampling's filter estimates it, and the z it sees.
template <class Arch>
void estimate_quantiles(double shape, bool expanded, const std::uint32_t* keys, float* normals, float* estimates, std::size_t count) {
  using F = Singles<Arch>;
  const rng::QuantileFit fit = rng::quantile_fit(shape);
  const F size(static_cast<float>(shape)), s = F(1.0f) / xsimd::sqrt(size);
  alignas(64) float terms[Variates::kTerms * F::size];
  for (std::size_t i = 0; i < Variates::kTerms; ++i) F(fit.coefficient[i]).store_aligned(terms + i * F::size);
  for (std::size_t i = 0; i < count; i += F::size) {
    const F z = normal_estimate<Arch>(keys + i);
    z.store_aligned(normals + i);
    const F quotient = expanded ? expanded_quantile<Arch>(z, s) : quantile_estimate<Arch>(z, F(fit.least), terms, F::size);
    (quotient * size).store_aligned(estimates + i);
  }
}

/// The words at replicas first + i of a round.
template <class Arch>
void draw_words(std::uint64_t seed, rng::Stream stream, std::uint64_t index, std::uint64_t first, std::uint64_t round, std::uint64_t* low,
                std::uint64_t* high, std::size_t count) {
  for (std::size_t i = 0; i < count; i += Words<Arch>::size) {
    Words<Arch> word0[1], word1[1];
    philox_from<Arch>(seed, stream, index, first + i, round, word0, word1);
    word0[0].store_aligned(low + i);
    word1[0].store_aligned(high + i);
  }
}

}  // namespace dbandit::kernel
