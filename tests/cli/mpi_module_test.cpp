#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "cli/ways.hpp"

/// MPI is a module beside the program: loaded under mpirun, and else not needed.
namespace dbandit::test {
namespace {

namespace fs = std::filesystem;

/// Every library that the loader was asked for, those of dlopen too.
std::string libraries_of(const Words& words, Circumstances in = {}) {
  in.environment.insert({"LD_DEBUG", "files"});
  return dbandit(words, in).err;
}

/// The program without its module, in a folder of its own; started as the second word.
Circumstances started(const std::string& copy, std::map<std::string, std::string> environment = {}, Words launcher = {}) {
  return {.environment = std::move(environment),
          .launcher = std::move(launcher) + Words{"sh", "-c", "shift; exec '" + copy + "' \"$@\"", "sh"}};
}

std::string copied_program(const Scratch& scratch) {
  fs::create_directories(scratch / "bin");
  fs::copy_file(DBANDIT_PROGRAM, scratch / "bin/dbandit");
  return scratch / "bin/dbandit";
}

TEST(MpiModule, TheProgramItselfLinksNoMpi) {
  std::string listing;
  std::FILE* pipe = ::popen("ldd '" DBANDIT_PROGRAM "'", "r");
  ASSERT_NE(pipe, nullptr);
  std::array<char, 4096> chunk;
  while (std::fgets(chunk.data(), chunk.size(), pipe) != nullptr) listing += chunk.data();
  ASSERT_EQ(::pclose(pipe), 0);
  EXPECT_NE(listing.find("libtbb"), std::string::npos) << listing;
  EXPECT_EQ(listing.find("mpi"), std::string::npos) << listing;
}

TEST(MpiModule, WithoutALauncherARunLoadsNone) {
  const std::string loaded = libraries_of(small_run() + Words{"--quiet"});
  EXPECT_NE(loaded.find("libtbb"), std::string::npos);
  EXPECT_EQ(loaded.find("mpi"), std::string::npos) << loaded.substr(loaded.find("mpi"), 200);
}

TEST(MpiModule, MissingUnderALauncherIsOneLineThatSaysWhatToDo) {
  const Scratch scratch;
  const std::string copy = copied_program(scratch);
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
    const Outcome first = dbandit(small_run(), started(copy, {{variable, "0"}}));
    EXPECT_EQ(first.exit, 2);
    EXPECT_EQ(first.out, "");
    EXPECT_EQ(first.err, "dbandit: mpi: '" + scratch / "lib/dbandit/modules/mpi.so" +
                             "', which is needed under mpirun only, is missing; start dbandit without mpirun, or install it (Debian: "
                             "dbandit-mpi; a build: libopenmpi-dev)\n");
    const Outcome other = dbandit(small_run(), started(copy, {{variable, "1"}}));
    EXPECT_EQ(other.exit, 0) << "mpirun would kill the first before it has spoken";
    EXPECT_EQ(other.out + other.err, "");
  }
  EXPECT_EQ(dbandit(small_run() + Words{"--csv"}, started(copy)).out, dbandit(small_run() + Words{"--csv"}).out);
}

TEST(MpiModule, ThatCannotBeLoadedIsOneLineToo) {
  const Scratch scratch;
  const std::string copy = copied_program(scratch);
  fs::create_directories(scratch / "lib/dbandit/modules");
  write_file(scratch / "lib/dbandit/modules/mpi.so", "not a library");
  const Outcome outcome = dbandit(small_run(), started(copy, {{"PMI_RANK", "0"}}));
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("cannot be loaded"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

#ifdef DBANDIT_MPIRUN

TEST(MpiModule, IsLoadedByEveryRank) {
  Circumstances two = on_ranks(2);
  two.launcher.insert(two.launcher.end(), {"-x", "LD_DEBUG=files"});
  const std::string said = dbandit(small_run() + Words{"--quiet"}, two).err;
  EXPECT_NE(said.find("lib/dbandit/modules/mpi.so"), std::string::npos);
  EXPECT_NE(said.find("libmpi.so"), std::string::npos);
}

TEST(MpiModule, MovesWithTheProgram) {
  const Scratch scratch;
  const std::string copy = copied_program(scratch);
  const fs::path module = fs::path(DBANDIT_PROGRAM).parent_path().parent_path() / "lib/dbandit/modules/mpi.so";
  const Outcome missing = dbandit(small_run(), started(copy, on_ranks(3).environment, on_ranks(3).launcher));
  EXPECT_EQ(missing.exit, 2) << missing.err;
  const std::size_t first = missing.err.find("dbandit: mpi: ");
  ASSERT_NE(first, std::string::npos) << missing.err;
  EXPECT_EQ(missing.err.find("dbandit: mpi: ", first + 1), std::string::npos) << missing.err;
  fs::create_directories(scratch / "lib/dbandit/modules");
  fs::copy_file(module, scratch / "lib/dbandit/modules/mpi.so");
  const Outcome together = dbandit(small_run() + Words{"--csv"}, started(copy, on_ranks(3).environment, on_ranks(3).launcher));
  EXPECT_EQ(together.exit, 0) << together.err;
  EXPECT_EQ(together.out, dbandit(small_run() + Words{"--csv"}).out);
}

/// Another MPI's launcher: each process would believe to be alone, and all would write the same files.
TEST(MpiModule, OfAnotherMpiThanTheLauncherSIsRefused) {
  const Outcome first = dbandit(small_run(), {.environment = {{"PMI_RANK", "0"}, {"PMI_SIZE", "4"}}});
  EXPECT_EQ(first.exit, 2);
  EXPECT_EQ(first.err,
            "dbandit: mpi: 4 processes were started, and the MPI that dbandit was built with knows of 1; start them by its mpirun\n");
  EXPECT_EQ(dbandit(small_run(), {.environment = {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}}).out, "");
}

#endif

}  // namespace
}  // namespace dbandit::test
