#pragma once

#include "kernel/world/calendar.hpp"
#include "kernel/world/draws.hpp"

/// What happens in the world once the arms are chosen: conversions, and the calendar of their disclosures.
namespace dbandit::kernel {

/// When a policy is told of its conversion: after its delay, at once, when its window ends (Discarding), never.
enum class Feedback { delayed, at_once, at_window_end, never };

struct World {
  Draws draws;
  Feedback feedback = Feedback::delayed;
  std::int64_t reach = 0;     ///< a conversion whose delay exceeds this is never seen: m, or the longest delay there is
  bool tells_delays = false;  ///< which of the calendars is used
  Calendar<std::uint32_t> calendar;
  Calendar<std::uint64_t> calendar_of_delays;
  std::uint32_t* due = nullptr;  ///< scratch, [lane] rounds until the conversion is filed for
  void* entries = nullptr;       ///< scratch, [lane] what is filed

  void size(const Setup& setup, const Books& books, Feedback wanted, bool with_delays);
  void declare(Rows& rows, const Books& books);
};

/// Calls `each(lane)` for every lane whose pull in the round converts and can be seen, now or later.
template <class Each>
void for_each_visible_conversion(const World& world, const Books& books, std::int64_t round, Each each) {
  const Draws& d = world.draws;
  for (std::size_t i = d.begin_of(round); i < d.end_of(round); ++i) {
    const std::size_t lane = d.replica[i] - books.first, arm = books.arm(lane);
    if (d.mark[i] >= d.limit[arm]) continue;
    const std::int64_t delay = d.by_arm ? arm_delay(d, arm, d.delay[i]) : static_cast<std::int64_t>(d.delay[i]);
    if (delay <= world.reach) each(lane);
  }
}

/// Files the round's conversions that will be seen. One that the best arm would have had and ours had not is filed too, under arm K:
/// their count is the realised regret.
template <class Arch, class Word>
[[gnu::noinline]] void convert(World& world, Calendar<Word>& calendar, const Books& books, std::int64_t round) {
  const Draws& d = world.draws;
  const std::int64_t left = books.horizon - round, reach = world.reach;
  // Of ours: how long a delay may be to be seen at all, and when it is: after (delay & by_delay) + at rounds.
  const std::int64_t our_reach = world.feedback == Feedback::at_once ? INT64_MAX : world.feedback == Feedback::never ? -1 : reach;
  const std::int64_t by_delay = world.feedback == Feedback::delayed ? -1 : 0;
  const std::int64_t at = world.feedback == Feedback::at_window_end ? books.window : 0;
  const Uint128 best = d.highest_limit;
  const Uint128* const __restrict limit = d.limit;
  std::uint32_t* const __restrict due = world.due;
  auto* const __restrict entries = static_cast<Entry<Word>*>(world.entries);
  std::size_t kept = 0;
  // First all that can be decided, without a branch that the machine could not foresee, then the filing into chunks already on their way.
  for (std::size_t i = d.begin_of(round), end = d.end_of(round); i < end; ++i) {
    const std::size_t lane = d.replica[i] - books.first, arm = arm_of(books.action[lane]);
    assert(lane < books.lanes && arm < books.arms);
    const bool ours = d.mark[i] < limit[arm], seen = ours | (d.mark[i] < best);
    const auto delay = static_cast<std::int64_t>(d.delay[i]);
    const std::int64_t wait = ours ? (delay & by_delay) + at : delay;
    due[kept] = static_cast<std::uint32_t>(wait);
    entries[kept] = Entry<Word>::of(lane, ours ? arm : books.arms, delay);
    kept += seen & (delay <= (ours ? our_reach : reach)) & (wait <= left);
  }
  for (std::size_t i = 0; i < kept; ++i) __builtin_prefetch(&calendar.chunks[bucket_at<Arch>(calendar, due[i])], 1);
  for (std::size_t i = 0; i < kept; ++i) schedule<Arch>(calendar, due[i], entries[i]);
}

/// The same where the delay depends on the arm: known only now. The best arm's conversion and ours are disclosed in different rounds, so
/// each is filed for the realised regret, under arms K (+1) and K + 1 (−1), unless they cancel.
template <class Arch, class Word>
[[gnu::noinline]] void convert_by_arm(World& world, Calendar<Word>& calendar, const Books& books, std::int64_t round) {
  const Draws& d = world.draws;
  const std::int64_t left = books.horizon - round;
  for (std::size_t i = d.begin_of(round); i < d.end_of(round); ++i) {
    const std::size_t lane = d.replica[i] - books.first, arm = books.arm(lane);
    const bool ours = d.mark[i] < d.limit[arm], best = d.mark[i] < d.limit[d.best_arm];
    const std::int64_t our_delay = ours ? arm_delay(d, arm, d.delay[i]) : 0;
    const std::int64_t best_delay = best ? arm_delay(d, d.best_arm, d.delay[i]) : 0;
    const auto file = [&](std::size_t what, std::int64_t wait) {
      if (wait <= left) schedule<Arch>(calendar, wait, Entry<Word>::of(lane, what, our_delay));
    };
    if (ours) {
      switch (world.feedback) {
        case Feedback::delayed:
          if (our_delay <= world.reach) file(arm, our_delay);
          break;
        case Feedback::at_once:
          file(arm, 0);
          break;
        case Feedback::at_window_end:
          if (our_delay <= world.reach) file(arm, books.window);
          break;
        case Feedback::never:
          break;
      }
    }
    if (ours && best && our_delay == best_delay) continue;
    if (best && best_delay <= world.reach) file(books.arms, best_delay);
    if (ours && our_delay <= world.reach) file(books.arms + 1, our_delay);
  }
}

template <class Arch>
inline void convert(World& world, const Books& books, std::int64_t round) {
  const auto into = [&](auto& calendar) {
    world.draws.by_arm ? convert_by_arm<Arch>(world, calendar, books, round) : convert<Arch>(world, calendar, books, round);
  };
  world.tells_delays ? into(world.calendar_of_delays) : into(world.calendar);
}

}  // namespace dbandit::kernel
