// What the world costs: counter-based draws, conversions and their delays, the calendar.
// Names: world/PART/TARGET[/mu500].
//   words     Philox 4x32-10 calls, 128 bits each; items are calls. scalar: Random123 by way of rng::words
//   draw      the candidates and their list; items are replica-rounds from here on
//   delay     their marks and delays
//   calendar  conversions filed by their delay, and what is due disclosed
#include <memory>
#include <string>
#include <vector>

#include "engine_work.hpp"
#include "rng/draws.hpp"

namespace dbandit::bench {
namespace {

constexpr std::size_t kCalls = 1024;
constexpr std::uint64_t kSeed = 1;

struct Drawn {
  AlignedVector<std::uint64_t> low = AlignedVector<std::uint64_t>(kCalls);
  AlignedVector<std::uint64_t> high = AlignedVector<std::uint64_t>(kCalls);
};

template <class Draw>
void add_draw(const std::string& target, Draw draw) {
  add("world/words/" + target, [=] {
    auto drawn = std::make_shared<Drawn>();
    return Work{.items = kCalls,
                .run =
                    [=] {
                      draw(7, *drawn);
                      keep(drawn->low.data());
                      keep(drawn->high.data());
                    },
                .fault =
                    [=] {
                      draw(7, *drawn);
                      for (std::size_t i = 0; i < kCalls; ++i) {
                        if (rng::words(kSeed, rng::Stream::outcome, 0, i, 7) != rng::Words{drawn->low[i], drawn->high[i]}) {
                          return std::string("differs from Random123");
                        }
                      }
                      return std::string();
                    }};
  });
}

/// Stages of a whole simulation of d-ucb, by the engine's own clock.
void add_stages(const std::string& part, const std::vector<kernel::Stage>& stages, const EngineCase& given) {
  add(
      "world/" + part + "/" + target_name(given.target) + "/mu" + std::to_string(static_cast<int>(given.mean_delay)),
      [=] {
        Work work = engine_work(given);
        work.seconds = [=] {
          const Profiled profiled = profile(given);
          double seconds = 0;
          for (const kernel::Stage stage : stages) seconds += profiled.seconds[static_cast<std::size_t>(stage)];
          return seconds;
        };
        return work;
      },
      Clock::own);
}

}  // namespace

void declare() {
  for (const kernel::Target* target : supported_targets()) {
    add_draw(target_name(target), [=](std::uint64_t round, Drawn& drawn) {
      target->draw(kSeed, rng::Stream::outcome, 0, 0, round, drawn.low.data(), drawn.high.data(), kCalls);
    });
    for (const double mean_delay : {5.0, 500.0}) {
      const EngineCase given{.target = target, .policy = "d-ucb", .mean_delay = mean_delay};
      add_stages("draw", {kernel::Stage::draw}, given);
      add_stages("delay", {kernel::Stage::delay}, given);
      add_stages("calendar", {kernel::Stage::calendar, kernel::Stage::disclose}, given);
    }
  }
  add_draw("scalar", [](std::uint64_t round, Drawn& drawn) {
    for (std::size_t i = 0; i < kCalls; ++i) {
      const rng::Words words = rng::words(kSeed, rng::Stream::outcome, 0, i, round);
      drawn.low[i] = words[0];
      drawn.high[i] = words[1];
    }
  });
}

}  // namespace dbandit::bench
