// Policies from outside that keep a state: what they are told, and what they draw.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <vector>

#include "dbandit/kernel/target.hpp"
#include "dbandit/sim/guest.hpp"
#include "rng/draws.hpp"

namespace dbandit::sim {
namespace {

Settings problem(model::DelayLaw law, model::Window censor) {
  Settings spec;
  spec.theta = {0.6, 0.4, 0.5};
  spec.delay = law;
  spec.censor = censor;
  spec.horizon = 120;
  spec.replicas = 200;
  spec.policies = {"guest:kept"};
  return spec;
}

/// Books of its own, kept from what `observe` says alone. Only for a constant delay: what is disclosed is the pull of so many rounds ago.
struct Kept {
  std::int64_t delay, window;  ///< window: none is 0
  struct Replica {
    std::vector<double> pulls, conversions;
    std::deque<std::pair<std::int64_t, std::size_t>> open;  ///< round and arm of the pulls that may still convert
  };
  std::map<std::uint64_t, Replica> replicas = {};
  std::vector<GuestStart> starts = {};
  std::size_t asked = 0, wrong = 0;

  void start(const GuestStart& given) {
    starts.push_back(given);
    for (std::uint64_t i = 0; i < given.lanes; ++i) {
      replicas[given.first + i] = {std::vector<double>(given.arms), std::vector<double>(given.arms), {}};
    }
  }
  void choose(const GuestView& view, std::span<double> indices) {
    for (std::size_t lane = 0; lane < view.lanes; ++lane) {
      const Replica& mine = replicas.at(view.first + lane);
      for (std::size_t arm = 0; arm < view.arms; ++arm) {
        const std::size_t cell = arm * view.lanes + lane;
        const auto open = std::ranges::count(mine.open, arm, [](const auto& pull) { return pull.second; });
        wrong += view.pulls[cell] != mine.pulls[arm];
        wrong += view.conversions[cell] != mine.conversions[arm];
        wrong += view.pending[cell] != static_cast<double>(open);
        indices[cell] = guest_uniform(starts.front().seed, view.first + lane, view.round, static_cast<std::uint32_t>(arm));
        ++asked;
      }
    }
  }
  void observe(const GuestRound& told) {
    for (std::size_t lane = 0; lane < told.lanes; ++lane) {
      Replica& mine = replicas.at(told.first + lane);
      mine.pulls[told.played[lane]] += 1;
      mine.open.emplace_back(told.round, told.played[lane]);
      for (std::size_t arm = 0; arm < told.arms; ++arm) {
        const int seen = told.disclosed[arm * told.lanes + lane];
        mine.conversions[arm] += seen;
        if (seen == 0) continue;
        wrong += std::erase(mine.open, std::pair{told.round - delay, arm}) != 1 || seen != 1;
      }
      while (window > 0 && !mine.open.empty() && mine.open.front().first <= told.round - window) mine.open.pop_front();
    }
  }
};

Guest as_guest(Kept& kept, std::size_t at_once = 0) {
  return {.name = "kept",
          .choose = [&](const GuestView& view, std::span<double> indices) { kept.choose(view, indices); },
          .replicas_at_once = at_once,
          .start = [&](const GuestStart& start) { kept.start(start); },
          .observe = [&](const GuestRound& round) { kept.observe(round); }};
}

TEST(GuestState, BooksKeptFromWhatRoundsTellAreTheBooksThatDecisionsSeePendingPullsIncluded) {
  for (const model::Window censor : {model::Window{}, model::Window{7}, model::Window{20}, model::Window{500}}) {
    const Settings spec = problem(model::Constant{7}, censor);
    Kept kept{.delay = 7, .window = censor.value_or(0)};
    run_with_guests(spec, std::vector<Guest>{as_guest(kept)}, {.executor = Executor::serial});
    EXPECT_EQ(kept.wrong, 0U);
    EXPECT_EQ(kept.asked, 200U * 117 * 3);
    EXPECT_EQ(kept.replicas.size(), 200U);
  }
}

TEST(GuestState, ADrawByAddressMakesResultsThatDoNotDependOnHowReplicasArePutIntoBlocks) {
  const Settings spec = problem(model::Geometric{10}, 20);
  std::vector<double> finals;
  for (const std::size_t at_once : {0U, 4096U}) {
    Kept kept{.delay = 0, .window = 20};
    const Guest whole = as_guest(kept, at_once);
    // The delays are not constant: only what is drawn is of interest.
    const Guest guest{.name = "kept",
                      .choose =
                          [](const GuestView& view, std::span<double> indices) {
                            for (std::size_t i = 0; i < indices.size(); ++i) {
                              indices[i] =
                                  guest_uniform(1, view.first + i % view.lanes, view.round, static_cast<std::uint32_t>(i / view.lanes));
                            }
                          },
                      .replicas_at_once = at_once,
                      .start = whole.start};
    const Result result = run_with_guests(spec, std::vector<Guest>{guest}, {.executor = Executor::serial});
    finals.push_back(result.stats.policies.front().regret.back().mean);
    EXPECT_EQ(kept.starts.size(), at_once == 0 ? 2U : 1U);
    EXPECT_EQ(kept.replicas.size(), 200U);
  }
  EXPECT_EQ(finals[0], finals[1]);
}

TEST(GuestState, AUniformIsThePhiloxCallOfItsAddressInAStreamThatNobodyElseDrawsFrom) {
  const rng::Words words = rng::words(11, rng::Stream::guest, 5, 77, 3);
  EXPECT_EQ(guest_uniform(11, 77, 3, 5), rng::open_uniform(words[0] >> 12));
  for (const rng::Stream other :
       {rng::Stream::candidates, rng::Stream::outcome, rng::Stream::tie, rng::Stream::start, rng::Stream::policy, rng::Stream::arm_order}) {
    EXPECT_NE(other, rng::Stream::guest);
  }
}

TEST(GuestState, NamesMaySaySettings) {
  EXPECT_EQ(Policy("guest:mine(gain=0.5,depth=3)").id, "mine(gain=0.5,depth=3)");
  EXPECT_EQ(Policy("guest:mine(gain=0.5)@ab12").text(), "guest:mine(gain=0.5)@ab12");
  for (const std::string wrong : {"mine(", "mine()", "mine(a", "(a=1)", "mine(a=(1))", "mine(a=1)b", "mine)"}) {
    EXPECT_ANY_THROW(Policy("guest:" + wrong)) << wrong;
  }
}

}  // namespace
}  // namespace dbandit::sim
