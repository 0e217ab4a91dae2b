#pragma once

#include <unistd.h>

#include <array>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cli/kept.hpp"
#include "dbandit/kernel/target.hpp"
#include "dbandit/policy/catalogue.hpp"

/// One run in many ways: threads, targets, ranks, shards and sessions that are killed. Whichever, the files are the same.
namespace dbandit::test {

#ifdef DBANDIT_MPIRUN
inline Circumstances on_ranks(int ranks) {
  return {.environment = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}},
          .launcher = {DBANDIT_MPIRUN, "-n", std::to_string(ranks), "--oversubscribe", "--bind-to", "none"}};
}
#endif

using Random = std::mt19937_64;

inline int between(Random& random, int low, int high) { return std::uniform_int_distribution(low, high)(random); }

template <class Range>
const auto& one_of(Random& random, const Range& values) {
  return values[static_cast<std::size_t>(between(random, 0, static_cast<int>(std::size(values)) - 1))];
}

/// Any law, any policies, 2 to 40 arms (blocks of 128, 64 and 32 replicas), some blocks and a short one.
inline Words random_run(Random& random) {
  const int arms = one_of(random, std::array{2, 3, 5, 17, 40}), horizon = between(random, arms, 150);
  std::string theta, policies;
  for (int arm = 0; arm < arms; ++arm) theta += (arm > 0 ? ",0." : "0.") + std::to_string(between(random, 10, 99));
  std::set<std::string> chosen;
  while (chosen.size() < 2) chosen.emplace(one_of(random, policy::catalogue()).id);
  for (const std::string& policy : chosen) policies += (policies.empty() ? "" : ",") + policy;
  constexpr std::array laws{"geometric:5",     "geometric:40",  "uniform:0..20",        "constant:7", "negbin:3,10",
                            "lognormal:2,0.5", "weibull:0.7,9", "mixture:0.3*4+0.7*30", "criteo"};
  return {"run",
          "--theta",
          theta,
          "--delay",
          one_of(random, laws),
          "--censor",
          std::to_string(between(random, 1, 60)),
          "--horizon",
          std::to_string(horizon),
          "--policies",
          policies,
          "--at",
          std::to_string(between(random, 1, horizon)) + "," + std::to_string(horizon),
          "--replicas",
          std::to_string(between(random, 1, 1500)),
          "--seed",
          std::to_string(between(random, 0, 1 << 30)),
          "--quiet"};
}

inline std::vector<std::string> targets_here() {
  std::vector<std::string> names;
  for (const kernel::Target& target : kernel::targets()) {
    if (target.supported()) names.emplace_back(target.name);
  }
  return names;
}

constexpr std::array kThreads{1, 2, 3, 7}, kRanks{1, 2, 3, 5};

struct Ways {
  int specs = 0, plain = 0, ranks = 0, shards = 0, kills = 0;
};

/// Every number of threads with every target of this CPU, one after the other as the specs come; `on_ranks_every`: so many specs apart also
/// under mpirun, on a number of ranks that changes likewise; `kills` sessions that are killed, each continued in another way; shards merged
/// in a random order.
inline Ways expect_the_same_bytes(int specs, int plain, int on_ranks_every, int kills, unsigned seed) {
  Random random(seed);
  const std::vector<std::string> targets = targets_here();
  Ways ways;
  std::size_t turn = 0;
  const auto how = [&] {  // 4 threads x 3 targets: after twelve turns all have been
    const std::size_t now = turn++;
    return Words{"--threads", std::to_string(kThreads[now % kThreads.size()]), "--target", targets[now / kThreads.size() % targets.size()]};
  };
  for (int i = 0; i < specs && !testing::Test::HasFailure(); ++i) {
    const Scratch scratch;
    const Words run = random_run(random);
    std::string said;
    for (const std::string& word : run) said += " " + word;
    SCOPED_TRACE(said);
    const Outcome whole =
        dbandit(run + Words{"--threads", "1", "--target", std::string(kernel::targets().back().name), "--out", scratch / "whole"});
    if (whole.exit != 0) {
      ADD_FAILURE() << whole.err;
      continue;
    }
    ++ways.specs;
    const std::string expected = kept(scratch / "whole");
    const auto expect_same = [&](const Words& words, const Circumstances& in = {}) {
      std::filesystem::remove_all(scratch / "other");
      const Outcome outcome = dbandit(words + Words{"--out", scratch / "other"}, in);
      EXPECT_EQ(outcome.exit, 0) << outcome.err;
      EXPECT_TRUE(kept(scratch / "other") == expected);
    };
    for (int n = 0; n < plain; ++n, ++ways.plain) expect_same(run + how());
#ifdef DBANDIT_MPIRUN
    if (i % on_ranks_every == 0) {
      for (const int ranks : on_ranks_every > 1 ? std::vector{kRanks[static_cast<std::size_t>(i / on_ranks_every) % kRanks.size()]}
                                                : std::vector(kRanks.begin(), kRanks.end())) {
        expect_same(run + how(), on_ranks(ranks));
        ++ways.ranks;
      }
    }
#endif
    Words merge{"merge", "--quiet"};
    const int shards = between(random, 2, 5);
    for (int shard = 1; shard <= shards; ++shard, ++ways.shards) {
      const std::string folder = scratch / ("shard" + std::to_string(shard));
      const Outcome outcome =
          dbandit(run + how() + Words{"--shard", std::to_string(shard) + "/" + std::to_string(shards), "--out", folder});
      EXPECT_EQ(outcome.exit, 0) << outcome.err;
      merge.push_back(folder);
    }
    std::shuffle(merge.begin() + 2, merge.end(), random);
    expect_same(merge);
    for (int n = 0; n < kills; ++n) {
      const auto after = std::chrono::milliseconds(between(random, 5, 40));
      ways.kills += dbandit(run + how() + Words{"--checkpoint-every", "0", "--out", scratch / "killed"},
                            {.interrupt_after = after, .interrupt_by = SIGKILL})
                        .exit != 0;
    }
    EXPECT_EQ(dbandit(run + how() + Words{"--out", scratch / "killed"}).exit, 0);
    EXPECT_TRUE(kept(scratch / "killed") == expected);
  }
  std::printf("same bytes: %d random specs, on %zu targets: %d ways of threads and targets, %d times under mpirun, %d shards, %d kills\n",
              ways.specs, targets.size(), ways.plain, ways.ranks, ways.shards, ways.kills);
  return ways;
}

}  // namespace dbandit::test
