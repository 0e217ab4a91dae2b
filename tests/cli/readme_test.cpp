#include "cli/readme.hpp"

namespace dbandit::test {
namespace {

TEST(Readme, EveryCommandRunsAndPrintsWhatItShows) { expect_page(false, "README.md"); }

TEST(Readme, EveryProgramItShowsIsACompiledExample) {
  std::size_t programs = 0;
  for (const ReadmeBlock& block : readme_blocks()) {
    if (block.language != "cpp") continue;
    ++programs;
    std::string text;
    for (const std::string& line : block.lines) text += line + "\n";
    bool found = false;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(DBANDIT_SOURCE) / "src" / "examples")) {
      if (entry.path().extension() == ".cpp") found = found || read_file(entry.path()).find(text) != std::string::npos;
    }
    EXPECT_TRUE(found) << "README.md:" << block.line << ": not in src/examples:\n" << text;
  }
  EXPECT_GT(programs, 0u);
}

TEST(Readme, ItsMasksHideTheMachineAndNothingElse) {
  EXPECT_EQ(masked("d-klucb  39.34 ± 0.70   9.39 ns"), "d-klucb 39.34 ± 0.70 TIME");
  EXPECT_EQ(masked("70.0 M replica-rounds in 401 ms, 175 M/s (avx2, 2 threads)"), "70.0 M replica-rounds in TIME, RATE (TARGET, THREADS)");
  EXPECT_NE(masked("39.34 ± 0.70"), masked("39.35 ± 0.70"));
  EXPECT_TRUE(shows({"a", "…", "c"}, {"a", "b", "b", "c"}));
  EXPECT_FALSE(shows({"a", "…", "c"}, {"a", "b", "d"}));
  EXPECT_FALSE(shows({"a"}, {"a", "b"}));
}

}  // namespace
}  // namespace dbandit::test
