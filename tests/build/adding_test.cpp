#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

/// What docs/adding.md promises: how many files a new thing touches, and how long the new one is.
namespace {

namespace fs = std::filesystem;
const fs::path kSource = DBANDIT_SOURCE;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The files of the program in which the word stands.
std::set<std::string> files_with(const std::string& word) {
  std::set<std::string> found;
  for (const char* top : {"include", "src"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kSource / top)) {
      if (entry.is_regular_file() && text_of(entry.path()).find(word) != std::string::npos) {
        found.insert(fs::relative(entry.path(), kSource).generic_string());
      }
    }
  }
  return found;
}

long lines_of(const fs::path& file) {
  const std::string text = text_of(kSource / file);
  return std::count(text.begin(), text.end(), '\n');
}

TEST(Adding, ADelayLawIsOneFileAndOneRow) {
  const std::string table = "src/model/continuous_laws.cpp";
  EXPECT_EQ(files_with("kPareto"), (std::set<std::string>{table, "src/model/laws/pareto.cpp"}));
  EXPECT_EQ(files_with("kWeibull"), (std::set<std::string>{table, "src/model/laws/weibull.cpp"}));
  EXPECT_EQ(files_with("kLogNormal"), (std::set<std::string>{table, "src/model/laws/lognormal.cpp"}));
  for (const auto& entry : fs::directory_iterator(kSource / "src/model/laws")) EXPECT_LT(lines_of(entry.path()), 60) << entry.path();
}

TEST(Adding, APolicyFamilyIsOneFileItsLiteralFormAndARowInEachList) {
  const std::string example = "src/examples/family/";
  EXPECT_EQ(files_with("WinStay"), (std::set<std::string>{example + "CMakeLists.txt", example + "kernel/policy/win_stay.hpp",
                                                          example + "reference/win_stay.hpp", example + "win_stay_test.cpp"}));
  EXPECT_LT(lines_of(example + "kernel/policy/win_stay.hpp") + lines_of(example + "reference/win_stay.hpp"), 65);
  // A family of the program: what it is called stands in its own files and in the list.
  const std::string folder = "src/kernel/policy/";
  EXPECT_EQ(files_with("Guests"), (std::set<std::string>{folder + "families.hpp", folder + "guests.hpp", folder + "guests.cpp"}));
}

TEST(Adding, AnInstructionSetIsItsPrimitivesAndOneRow) {
  const std::string row = "src/kernel/targets.cmake";
  EXPECT_EQ(files_with("avx512bw"), (std::set<std::string>{row}));
  EXPECT_EQ(files_with("march="), (std::set<std::string>{row}));
  EXPECT_EQ(files_with("xsimd::sse2"), (std::set<std::string>{"src/kernel/lanes/x86.hpp"}));
}

TEST(Adding, ThePageNamesFilesThatExist) {
  const std::string page = text_of(kSource / "docs/adding.md");
  int named = 0;
  for (std::size_t open = 0; (open = page.find('`', open)) != std::string::npos;) {
    const std::size_t close = page.find('`', open + 1);
    ASSERT_NE(close, std::string::npos);
    const std::string word = page.substr(open + 1, close - open - 1);
    open = close + 1;
    if (!word.starts_with("src/") && !word.starts_with("include/") && !word.starts_with("tests/")) continue;
    ++named;
    EXPECT_TRUE(fs::exists(kSource / word)) << word;
  }
  EXPECT_GT(named, 3);
}

}  // namespace
