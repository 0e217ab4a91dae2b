#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

/// core <- {rng, stats} <- model <- {kernel, reference, fit} <- policy <- sim <- report <- study <- cli: a folder may include itself and
/// any folder of a lower storey, never its neighbour on the same one.
const std::map<std::string, int, std::less<>> kStorey = {{"core", 0},      {"rng", 1}, {"stats", 1},  {"model", 2},   {"kernel", 3},
                                                         {"reference", 3}, {"fit", 3}, {"policy", 4}, {"sim", 5},     {"report", 6},
                                                         {"study", 7},     {"cli", 8}, {"python", 8}, {"examples", 8}};

/// Libraries that one folder or file alone may know, so that they can be replaced, and are compiled, there.
struct Confined {
  std::string_view header;  ///< how the name of an included file begins
  std::vector<std::string_view> places;
};
// A job meets TBB through sim/executor alone, whose plain threads ThreadSanitizer can look into: the same code runs on both.
const std::vector<Confined> kConfined = {{"xsimd", {"src/kernel", "tests/kernel"}},
                                         {"Random123", {"src/rng", "tests/rng"}},
                                         {"mpi.h", {"src/sim/mpi_module.cpp"}},
                                         {"nlopt", {"src/fit"}},
                                         {"CLI/", {"src/cli/parse.cpp"}},
                                         {"nlohmann/", {"src/report/json_value.cpp", "tests"}},
                                         {"toml++/", {"src/sim/spec_file.cpp"}},
                                         {"tbb/", {"src/sim/executor.cpp", "src/sim/machine.cpp", "src/fit", "tests"}},
                                         {"pybind11", {"src/python"}}};

struct Include {
  fs::path from;  ///< relative to the project
  std::string name;
};

/// The folder of the house a project file stands in: src/<folder>/… or include/dbandit/<folder>/…
std::optional<std::string> folder_of(const fs::path& file) {
  const auto inside =
      file.begin() == file.end() ? fs::path{} : file.lexically_relative(*file.begin() == "include" ? "include/dbandit" : "src");
  if (inside.empty() || *inside.begin() == "..") return std::nullopt;
  return inside.begin()->string();
}

/// The folder an included file stands in; none when it is not the project's own. The three ways to name one are
/// dbandit/<folder>/…, <folder>/… (below src/), and a path from the including file.
std::optional<std::string> folder_of(const Include& include) {
  const fs::path name = include.name;
  auto part = name.begin();
  if (part == name.end()) return std::nullopt;
  if (*part == "dbandit" && ++part == name.end()) return std::nullopt;
  if (kStorey.contains(part->string())) return part->string();
  if (*part == ".." || *part == ".") return folder_of((include.from.parent_path() / name).lexically_normal());
  return std::nullopt;
}

/// One line, or nothing when the include is legal.
std::optional<std::string> complaint(const Include& include) {
  const std::string which = include.from.generic_string() + " includes " + include.name;
  for (const auto& [header, places] : kConfined) {
    if (!include.name.starts_with(header)) continue;
    const std::string from = include.from.generic_string();
    for (const auto place : places)
      if (from == place || from.starts_with(std::string(place) + "/")) return std::nullopt;
    return which + ", which only " + std::string(places.front()) + " may";
  }
  const auto from = folder_of(include.from), to = folder_of(include);
  if (!from || !to || from == to) return std::nullopt;
  if (!kStorey.contains(*from) || !kStorey.contains(*to)) return which + ": a folder without a storey";
  if (kStorey.at(*to) >= kStorey.at(*from)) return which + ": " + *to + " is not below " + *from;
  return std::nullopt;
}

std::vector<Include> includes_of(const fs::path& project) {
  static const std::regex directive(R"(^\s*#\s*include\s*["<]([^">]+)[">])");
  std::vector<Include> all;
  for (const auto* top : {"include", "src", "tests", "bench"}) {
    if (!fs::exists(project / top)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(project / top)) {
      const auto extension = entry.path().extension();
      if (extension != ".hpp" && extension != ".cpp") continue;
      std::ifstream file(entry.path());
      std::smatch match;
      for (std::string line; std::getline(file, line);)
        if (std::regex_search(line, match, directive)) all.push_back({fs::relative(entry.path(), project), match[1]});
    }
  }
  return all;
}

TEST(Layering, IncludesPointOneWayAndConfinedLibrariesStayInTheirFolder) {
  const auto includes = includes_of(DBANDIT_SOURCE);
  ASSERT_GT(includes.size(), 50U) << "the includes of the project were not found";
  for (const auto& include : includes) {
    const auto line = complaint(include);
    EXPECT_FALSE(line) << *line;
  }
}

/// A round is composed of three rooms: the world and the exposure know nothing of the policy, and nothing of each other.
TEST(Layering, TheRoomsOfTheKernelSeeOnlyWhatTheyMay) {
  const std::map<std::string, std::vector<std::string>> forbidden = {
      {"src/kernel/world/", {"kernel/exposure/", "kernel/policy/", "kernel/state.hpp"}},
      {"src/kernel/exposure/", {"kernel/world/", "kernel/policy/", "kernel/state.hpp"}},
      {"src/kernel/policy/", {"kernel/state.hpp"}}};
  std::map<std::string, int> seen;
  for (const auto& include : includes_of(DBANDIT_SOURCE)) {
    for (const auto& [room, others] : forbidden) {
      if (!include.from.generic_string().starts_with(room)) continue;
      ++seen[room];
      for (const auto& other : others) EXPECT_FALSE(include.name.starts_with(other)) << include.from << " includes " << include.name;
    }
  }
  EXPECT_EQ(seen.size(), forbidden.size());
}

/// A port to another instruction set reads one header; one per processor.
TEST(Layering, IntrinsicsStandInLanesOnly) {
  const std::regex intrinsic(R"(\b_mm\d*_\w+\(|\bv[a-z0-9]+q?(_\w+)?_[fsup]\d+\(|__builtin_(ia32|aarch64)_|\basm\b)");
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(DBANDIT_SOURCE) / "src")) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const bool found = std::regex_search(text, intrinsic);
    EXPECT_TRUE(!found || entry.path().parent_path().filename() == "lanes") << entry.path();
    files += found;
  }
  EXPECT_GE(files, 1);
}

TEST(Layering, EveryFolderHasAStorey) {
  for (const auto* top : {"include/dbandit", "src"})
    for (const auto& entry : fs::directory_iterator(fs::path(DBANDIT_SOURCE) / top))
      if (entry.is_directory() && entry.path().filename() != "cmake") {
        EXPECT_TRUE(kStorey.contains(entry.path().filename().string())) << entry.path();
      }
}

TEST(Layering, TheRuleItselfTellsDownFromUp) {
  const std::vector<Include> legal = {{"src/sim/run.cpp", "dbandit/kernel/target.hpp"},    {"src/kernel/block.hpp", "kernel/lanes.hpp"},
                                      {"src/kernel/lanes/types.hpp", "xsimd/xsimd.hpp"},   {"src/rng/draws.cpp", "Random123/philox.h"},
                                      {"include/dbandit/rng/draws.hpp", "array"},          {"src/model/bounds.cpp", "../stats/sums.hpp"},
                                      {"tests/core/row_test.cpp", "dbandit/sim/spec.hpp"}, {"src/cli/main.cpp", "dbandit/report/json.hpp"}};
  const std::vector<Include> illegal = {{"src/core/row.cpp", "dbandit/model/experiment.hpp"},
                                        {"include/dbandit/rng/draws.hpp", "dbandit/stats/moments.hpp"},
                                        {"src/kernel/target.cpp", "reference/index.hpp"},
                                        {"src/reference/index.cpp", "../kernel/poisson.hpp"},
                                        {"src/sim/run.cpp", "xsimd/xsimd.hpp"},
                                        {"include/dbandit/kernel/target.hpp", "xsimd/xsimd.hpp"},
                                        {"src/kernel/philox.hpp", "Random123/philox.h"},
                                        {"src/report/json.cpp", "cli/options.hpp"},
                                        {"bench/index.cpp", "xsimd/xsimd.hpp"},
                                        {"src/sim/mpi.cpp", "mpi.h"},
                                        {"src/cli/main.cpp", "CLI/CLI.hpp"},
                                        {"src/report/json.cpp", "nlohmann/json.hpp"},
                                        {"src/sim/../sim/run.cpp", "./../report/csv.hpp"}};
  for (const auto& include : legal) EXPECT_FALSE(complaint(include)) << *complaint(include);
  for (const auto& include : illegal) EXPECT_TRUE(complaint(include)) << include.from << " includes " << include.name;
}

}  // namespace
