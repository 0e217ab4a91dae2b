#include "dbandit/report/directory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "dbandit/core/error.hpp"

namespace dbandit::report {
namespace {

using test::read_file;
using test::Scratch;

const std::vector<File> kFiles{{"a.txt", "alpha\n"}, {"b.txt", "beta\n"}};

std::set<std::string> names(const std::filesystem::path& folder) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) found.insert(entry.path().filename());
  return found;
}

TEST(Directory, IsCreatedWithItsParentsAndHoldsTheFilesAndNothingElse) {
  const Scratch scratch;
  const std::filesystem::path folder = scratch / "x/y/z";
  Directory(folder).write(kFiles);
  EXPECT_EQ(names(folder), (std::set<std::string>{"a.txt", "b.txt"}));
  EXPECT_EQ(read_file(folder / "a.txt"), "alpha\n");
  EXPECT_EQ(read_file(folder / "b.txt"), "beta\n");
}

TEST(Directory, ThatGotNoFileIsGoneWithTheParentsItMade) {
  const Scratch scratch;
  { const Directory directory(scratch / "x/y"); }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Directory, ThatWasThereBeforeStaysEvenWhenItGotNoFile) {
  const Scratch scratch;
  { const Directory directory(scratch.path()); }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

TEST(Directory, InPlaceOfAFileIsRefusedBeforeAnythingIsWritten) {
  const Scratch scratch;
  test::write_file(scratch / "taken", "precious");
  for (const char* name : {"taken", "taken/below"}) {
    try {
      const Directory directory(scratch / name);
      ADD_FAILURE() << name;
    } catch (const UserError& error) {
      EXPECT_EQ(error.code(), ExitCode::io);
    }
  }
  EXPECT_EQ(read_file(scratch / "taken"), "precious");
}

/// Killed processes leave files under passing names; the next one to write there removes them, and no others.
TEST(Directory, RemovesWhatProcessesLeftThatAreGone) {
  const Scratch scratch;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  const std::string gone = "." + std::to_string(child) + ".tmp", alive = "." + std::to_string(::getppid()) + ".tmp";
  for (const std::string& name : {".probe" + gone, ".a.txt" + gone, ".other.txt" + gone, ".probe" + alive, std::string(".probe.x.tmp"),
                                  std::string(".probe.tmp"), "probe" + gone}) {
    test::write_file(scratch / name, "x");
  }
  Directory directory(scratch.path());
  EXPECT_FALSE(names(scratch.path()).contains(".probe" + gone)) << "as soon as it is opened";
  directory.write(kFiles);
  EXPECT_EQ(names(scratch.path()),
            (std::set<std::string>{"a.txt", "b.txt", ".other.txt" + gone, ".probe" + alive, ".probe.x.tmp", ".probe.tmp", "probe" + gone}));
}

/// While it lives no file can become longer than that.
class LimitedFiles {
 public:
  explicit LimitedFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~LimitedFiles() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  LimitedFiles(const LimitedFiles&) = delete;
  LimitedFiles& operator=(const LimitedFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

/// One file that cannot be written: none of them changes, the first included, which was written in full.
TEST(Directory, KeepsAllOldFilesWhenANewOneDoesNotFit) {
  const Scratch scratch;
  Directory(scratch.path()).write(kFiles);
  Directory directory(scratch.path());
  {
    const LimitedFiles limit(100);
    EXPECT_THROW(directory.write(std::vector<File>{{"a.txt", "new"}, {"b.txt", std::string(1000, 'x')}}), UserError);
  }
  EXPECT_EQ(names(scratch.path()), (std::set<std::string>{"a.txt", "b.txt"}));
  EXPECT_EQ(read_file(scratch / "a.txt"), "alpha\n");
  EXPECT_EQ(read_file(scratch / "b.txt"), "beta\n");
}

TEST(Directory, InWhichNothingCanBeWrittenIsRefusedAndGoneWithTheParentsItMade) {
  const Scratch scratch;
  {
    const LimitedFiles limit(0);
    EXPECT_THROW(Directory{scratch / "x/y"}, UserError);
  }
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path()));
}

}  // namespace
}  // namespace dbandit::report
