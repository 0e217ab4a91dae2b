#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

/// core <- {rng, stats} <- model <- {kernel, reference} <- policy <- sim <- report <- study <- cli, read from the sources themselves.
namespace dbandit {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"core", {}},
    {"rng", {"core"}},
    {"stats", {"core"}},
    {"model", {"core", "rng", "stats"}},
    {"kernel", {"core", "rng", "stats", "model"}},
    {"reference", {"core", "rng", "stats", "model"}},
    {"policy", {"core", "rng", "stats", "model", "kernel", "reference"}},
    {"sim", {"core", "rng", "stats", "model", "kernel", "reference", "policy"}},
    {"report", {"core", "rng", "stats", "model", "kernel", "reference", "policy", "sim"}},
    {"study", {"core", "rng", "stats", "model", "kernel", "reference", "policy", "sim", "report"}},
    {"cli", {"core", "rng", "stats", "model", "kernel", "reference", "policy", "sim", "report", "study"}},
};

/// The folder that a line includes from: dbandit/FOLDER/… for public headers, FOLDER/… for private ones; empty when neither.
std::string included_folder(std::string line) {
  const std::string directive = "#include \"";
  if (!line.starts_with(directive)) return "";
  line.erase(0, directive.size());
  if (line.starts_with("dbandit/")) line.erase(0, 8);
  return line.substr(0, line.find('/'));
}

bool allowed(const std::string& from, const std::string& to) {
  return from == to || !kMayInclude.contains(to) || kMayInclude.at(from).contains(to);
}

std::vector<fs::path> sources_of(const std::string& folder) {
  std::vector<fs::path> files;
  for (const fs::path& root : {fs::path(DBANDIT_SOURCE) / "include/dbandit" / folder, fs::path(DBANDIT_SOURCE) / "src" / folder}) {
    if (!fs::is_directory(root)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (entry.path().extension() == ".hpp" || entry.path().extension() == ".cpp") files.push_back(entry.path());
    }
  }
  return files;
}

TEST(Layering, IncludesPointOneWay) {
  std::size_t includes = 0;
  for (const auto& [folder, _] : kMayInclude) {
    for (const fs::path& file : sources_of(folder)) {
      std::ifstream text(file);
      for (std::string line; std::getline(text, line);) {
        const std::string target = included_folder(line);
        if (target.empty()) continue;
        ++includes;
        EXPECT_TRUE(allowed(folder, target)) << file << ": " << line;
      }
    }
  }
  EXPECT_GT(includes, 20u) << "the scan found next to nothing: it is looking in the wrong place";
}

TEST(Layering, EveryFolderOfTheSourcesHasItsPlace) {
  for (const char* root : {"include/dbandit", "src"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(DBANDIT_SOURCE) / root)) {
      const std::string folder = entry.path().filename().string();
      EXPECT_TRUE(kMayInclude.contains(folder) || sources_of(folder).empty()) << entry.path();
    }
  }
}

TEST(Layering, AnUpwardIncludeWouldBeSeen) {
  EXPECT_FALSE(allowed("model", included_folder("#include \"dbandit/sim/run.hpp\"")));
  EXPECT_FALSE(allowed("reference", included_folder("#include \"dbandit/kernel/target.hpp\"")));
  EXPECT_FALSE(allowed("reference", included_folder("#include \"kernel/engine.hpp\"")));
  EXPECT_TRUE(allowed("sim", included_folder("#include \"dbandit/model/experiment.hpp\"")));
}

}  // namespace
}  // namespace dbandit
