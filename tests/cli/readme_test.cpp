#include "cli/readme.hpp"

namespace dbandit::test {
namespace {

namespace fs = std::filesystem;

INSTANTIATE_TEST_SUITE_P(Of, Pages, ::testing::ValuesIn(all_pages()), kPageName);

TEST_P(Pages, EveryCommandRunsAndPrintsWhatItShows) { expect_page(false, GetParam()); }

TEST_P(Pages, EveryLinkLeadsToAFile) {
  const fs::path page = fs::path(DBANDIT_SOURCE) / GetParam();
  static const std::regex link(R"(\]\(([^)#:]+)\))");
  const std::string text = read_file(page);
  for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
    EXPECT_TRUE(fs::exists(page.parent_path() / (*at)[1].str())) << GetParam() << ": " << (*at)[1];
  }
}

/// A page is found from README, or nobody finds it.
TEST(Readme, LeadsToEveryPage) {
  const std::string text = read_file(fs::path(DBANDIT_SOURCE) / "README.md");
  for (const std::string& page : all_pages()) {
    if (page == "README.md") continue;
    EXPECT_NE(text.find("](" + page + ")"), std::string::npos) << page;
  }
}

TEST(Readme, IsOneSitting) { EXPECT_LE(lines_of(read_file(fs::path(DBANDIT_SOURCE) / "README.md")).size(), 220u); }

TEST_P(Pages, EveryProgramShownIsACompiledExample) {
  for (const ReadmeBlock& block : readme_blocks(GetParam())) {
    if (block.language != "cpp") continue;
    std::string text;
    for (const std::string& line : block.lines) text += line + "\n";
    bool found = false;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(std::filesystem::path(DBANDIT_SOURCE) / "src" / "examples")) {
      if (entry.path().extension() == ".cpp") found = found || read_file(entry.path()).find(text) != std::string::npos;
    }
    EXPECT_TRUE(found) << GetParam() << ":" << block.line << ": not in src/examples:\n" << text;
  }
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
