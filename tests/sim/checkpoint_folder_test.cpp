#include <gtest/gtest.h>

#include "sim/checkpoints.hpp"

/// A folder in which a job is stored and continued.
namespace dbandit::sim {
namespace {

/// Continues the run in the folder by about so many blocks, as a run does that is interrupted again; the notice that it began with.
std::string continue_by(std::size_t blocks, const std::filesystem::path& path, const Spec& spec) {
  Checkpoint checkpoint(path, std::chrono::seconds(0));
  const std::string notice = checkpoint.stored() ? checkpoint.stored()->notice : "";
  std::stop_source source;
  std::size_t seen = 0;
  run(spec, {.threads = 1,
             .executor = Executor::serial,
             .progress =
                 [&](std::size_t, std::size_t) {
                   if (++seen == blocks) source.request_stop();
                 },
             .checkpoint = &checkpoint,
             .stop = source.get_token()});
  return notice;
}

TEST_F(Folder, StaysSmallHoweverOftenARunIsStored) {
  Settings spec = small();
  spec.replicas = 128 * 200;
  continue_by(1000, path, spec);
  const std::optional<Stored> stored = read_checkpoints(path);
  ASSERT_TRUE(stored);
  EXPECT_TRUE(stored->runs[0].is_finished());
  EXPECT_EQ(sums_text(stored->runs[0].state, spec), bytes(run(spec, {.threads = 1}).stats));
  const std::size_t one = checkpoint_header().size() + checkpoint_record(spec, stored->runs[0].state).size();
  const std::size_t spec_alone = checkpoint_record(spec, {}).size();
  EXPECT_EQ(std::filesystem::file_size(path / "checkpoint"), one + spec_alone) << "at the end the newest record alone is left";
}

TEST_F(Folder, IsContinuedToTheBytesOfOneSession) {
  for (const std::int64_t replicas : {100, 256, 300, 1000}) {
    Settings spec = small();
    spec.replicas = replicas;
    const std::size_t blocks = plan(spec).blocks;
    for (std::size_t i = 0; i < blocks; ++i) continue_by(1, path, spec);
    const std::optional<Stored> stored = read_checkpoints(path);
    ASSERT_TRUE(stored && stored->runs[0].is_finished()) << replicas;
    const Result again = [&] {
      Checkpoint checkpoint(path);
      return run(spec, {.threads = 2,
                        .progress = [](std::size_t, std::size_t) { ADD_FAILURE() << "a block was simulated again"; },
                        .checkpoint = &checkpoint});
    }();
    EXPECT_EQ(bytes(again.stats), bytes(run(spec, {.threads = 2}).stats)) << replicas;
    EXPECT_EQ(again.timing.replica_rounds, 2.0 * 20 * static_cast<double>(replicas));
    std::filesystem::remove(path / "checkpoint");
  }
}

// What is left of a record must go before the next one is appended, or the file is damaged for whoever comes after.
TEST_F(Folder, WhoseLastRecordWasCutOffIsContinuedAgainAndAgain) {
  Settings spec = small();
  spec.replicas = 128 * 6;
  write("checkpoint", checkpoint_header() + record(spec, {0}) + record(spec, {0, 1}));
  std::filesystem::resize_file(path / "checkpoint", std::filesystem::file_size(path / "checkpoint") - 5);
  EXPECT_NE(continue_by(1, path, spec), "") << "the second block is lost";
  for (std::size_t blocks = 2; blocks < 6; ++blocks) {
    const std::optional<Stored> stored = read_checkpoints(path);
    ASSERT_TRUE(stored);
    EXPECT_EQ(stored->runs[0].state.blocks(), blocks);
    EXPECT_EQ(continue_by(1, path, spec), "") << "the file is whole again";
  }
  EXPECT_TRUE(read_checkpoints(path)->runs[0].is_finished());
}

TEST_F(Folder, OfAnExtendedRunKeepsItsWholeBlocks) {
  Settings spec = small();
  spec.replicas = 128 * 2 + 5;
  continue_by(3, path, spec);
  ASSERT_TRUE(read_checkpoints(path)->runs[0].is_finished());
  spec.replicas = 128 * 4;
  continue_by(1, path, spec);
  const std::optional<Stored> stored = read_checkpoints(path);
  EXPECT_EQ(stored->runs[0].spec, spec);
  EXPECT_EQ(stored->runs[0].state.blocks(), 3U) << "two that were whole, and one; the short one was for 261 replicas";
  continue_by(9, path, spec);
  EXPECT_EQ(sums_text(read_checkpoints(path)->runs[0].state, spec), bytes(run(spec, {.threads = 1}).stats));
}

TEST_F(Folder, AddsTheSecondsOfASessionToThoseBefore) {
  RunState known = state_of(small(), {0});
  known.whole.timing.seconds = 1e6;  // days: no machine adds as much
  known.whole.timing.policy_seconds = {1e5, 2e5};
  write("checkpoint", checkpoint_header() + checkpoint_record(small(), known));
  continue_by(1, path, small());
  EXPECT_GE(read_checkpoints(path)->runs[0].state.whole.timing.seconds, 1e6);
  Checkpoint checkpoint(path);
  const Result rest = run(small(), {.threads = 1, .checkpoint = &checkpoint});
  EXPECT_GE(rest.timing.seconds, 1e6);
  EXPECT_GE(rest.timing.policy_seconds[0], 1e5);
  EXPECT_GE(rest.timing.policy_seconds[1], 2e5);
}

TEST_F(Folder, OfARunOfOneShortBlockKnowsItsSeconds) {
  Settings spec = small();
  spec.replicas = 100;
  continue_by(1, path, spec);
  EXPECT_GT(read_checkpoints(path)->runs[0].state.total().timing.seconds, 0);
}

// Under mpirun every rank has a file; whatever died when, each block counts once.
TEST_F(Folder, TakesUpWhatOtherRanksHaveStored) {
  Settings spec = small();
  spec.replicas = 128 * 5;
  write("checkpoint", checkpoint_header() + record(spec, {0, 3}));
  write("checkpoint.1", checkpoint_header() + record(spec, {1}));
  write("checkpoint.2", checkpoint_header() + record(spec, {3}));  // gathered before, but not yet removed
  EXPECT_EQ(read_checkpoints(path)->runs[0].state.blocks(), 3U);
  continue_by(9, path, spec);
  EXPECT_FALSE(std::filesystem::exists(path / "checkpoint.1"));
  EXPECT_FALSE(std::filesystem::exists(path / "checkpoint.2"));
  EXPECT_EQ(sums_text(read_checkpoints(path)->runs[0].state, spec), bytes(run(spec, {.threads = 1}).stats));
}

// Ranks of the next session have files of the same names: they must not find the old ones there.
TEST_F(Folder, HasWhatOtherRanksHaveLeftAndTheNewCommandBeforeABlockIsSimulated) {
  const std::vector<std::string> before{"sweep", "--vary", "censor=5"}, after{"sweep", "--vary", "censor=5,10"};
  Settings wider = small();
  wider.censor = 5;
  const std::vector<Spec> specs{small(), wider};
  write("checkpoint", checkpoint_header(before) + record(small(), {0}));
  for (const bool with_ranks : {true, false}) {
    if (with_ranks) write("checkpoint.1", checkpoint_header() + record(small(), {1}));
    Checkpoint checkpoint(path);
    checkpoint.set_command(with_ranks ? before : after);
    const RunOptions options{.threads = 1, .checkpoint = &checkpoint};
    const Job job(specs, options);
    EXPECT_FALSE(std::filesystem::exists(path / "checkpoint.1"));
    const std::optional<Stored> stored = read_checkpoints(path);
    EXPECT_EQ(stored->find(small())->state.blocks(), 2U);
    EXPECT_EQ(stored->command, with_ranks ? before : after);
    EXPECT_NE(stored->find(wider), nullptr) << "all runs are there, so that status can count them";
  }
}

TEST_F(Folder, InWhichTwoRanksHaveOneBlockAndOthersIsDamaged) {
  Settings spec = small();
  spec.replicas = 128 * 5;
  write("checkpoint", checkpoint_header() + record(spec, {0, 1}));
  write("checkpoint.1", checkpoint_header() + record(spec, {1, 2}));
  EXPECT_EQ(attempt([&] { return *read_checkpoints(path); }).code, ExitCode::damaged);
}

TEST_F(Folder, IsForOneProcessAtATime) {
  const Checkpoint first(path);
  try {
    const Checkpoint second(path);
    FAIL() << "two of them";
  } catch (const UserError& error) {
    EXPECT_EQ(error.code(), ExitCode::busy);
  }
}

}  // namespace
}  // namespace dbandit::sim
