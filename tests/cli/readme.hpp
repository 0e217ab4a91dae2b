#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "cli/process.hpp"

/// README, and each page of docs/, as a script. Its fenced blocks are read from top to bottom in one folder:
///
///   ```toml     is written to spec.toml
///   ```sh       commands, run; each must succeed
///   ```console  `$ command` lines, run, each followed by what it prints; a line `…` stands for any lines
///   ```cpp      is the text of a file in src/examples
///
/// A comment above a block says how it differs: <!-- slow: why --> is left to the slow tests, <!-- machine: why --> prints
/// figures of the machine, so that only the first word of each line must be there, <!-- slow machine: why --> is both, <!-- not run: why
/// --> is not run. Times, rates, targets and thread counts are masked in all. With DBANDIT_REWRITE_PAGES=1 in the environment what is
/// printed is written into the page instead, but for blocks of one machine and commands of which only a part (…) is shown.
namespace dbandit::test {

struct ReadmeBlock {
  std::string language, marker;
  std::size_t line = 0;  ///< of the page, of the first line inside
  std::vector<std::string> lines;
  [[nodiscard]] bool is_slow() const { return marker.starts_with("slow"); }
  [[nodiscard]] bool is_of_a_machine() const { return marker.ends_with("machine"); }
};

inline std::vector<ReadmeBlock> readme_blocks(const std::filesystem::path& page = "README.md") {
  std::ifstream readme(std::filesystem::path(DBANDIT_SOURCE) / page);
  std::vector<ReadmeBlock> blocks;
  std::string marker;
  bool inside = false;
  std::size_t number = 0;
  for (std::string line; std::getline(readme, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) blocks.push_back({line.substr(3), marker, number + 1, {}});
      marker.clear();
    } else if (inside) {
      blocks.back().lines.push_back(line);
    } else if (static const std::regex comment("<!-- ([a-z ]+): .*-->"); true) {
      std::smatch match;
      if (std::regex_match(line, match, comment)) marker = match[1];
      if (!line.empty() && match.empty()) marker.clear();
    }
  }
  return blocks;
}

/// What may differ from machine to machine, and the width of columns, which depends on it.
inline std::string masked(std::string line) {
  static const std::vector<std::pair<std::regex, std::string>> masks{{std::regex(R"([0-9.]+ (ns|µs|ms|s|min|h|d)(?![a-z]))"), "TIME"},
                                                                     {std::regex(R"([0-9.]+( [kMGT])?/s)"), "RATE"},
                                                                     {std::regex(R"(\b(avx512|avx2|sse2|neon)\b)"), "TARGET"},
                                                                     {std::regex(R"([0-9]+ threads?)"), "THREADS"},
                                                                     {std::regex(R"(commit [0-9a-z]+(-dirty)?)"), "COMMIT"},
                                                                     {std::regex(R"~("([a-z_]*second[a-z_]*)":[0-9.]+)~"), "\"$1\":TIME"},
                                                                     {std::regex(R"(B is [0-9.]+ times A)"), "SPEED"},
                                                                     {std::regex("[ \t]+"), " "},
                                                                     {std::regex(" $"), ""}};
  for (const auto& [pattern, mask] : masks) line = std::regex_replace(line, pattern, mask);
  return line;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Whether the output has the shown lines; `…` stands for any.
inline bool shows(const std::vector<std::string>& shown, const std::vector<std::string>& printed, std::size_t s = 0, std::size_t p = 0) {
  for (; s < shown.size(); ++s, ++p) {
    if (shown[s] == "…") {
      for (std::size_t skip = p; skip <= printed.size(); ++skip) {
        if (shows(shown, printed, s + 1, skip)) return true;
      }
      return false;
    }
    if (p >= printed.size() || masked(shown[s]) != masked(printed[p])) return false;
  }
  return p == printed.size();
}

struct Ran {
  int exit = 0;
  std::string out;
};

/// The folder in which README is read: ./run.sh is the program as it is built, ./run.sh alone what the script makes of it.
class ReadmeFolder {
 public:
  ReadmeFolder() {
    const std::string script = read_file(std::filesystem::path(DBANDIT_SOURCE) / "run.sh");
    const std::size_t from = script.find("  set -- "), to = script.find("\n  say", from);
    EXPECT_NE(from, std::string::npos) << "run.sh no longer says what it runs alone";
    write_file(scratch_ / "run.sh",
               "#!/bin/bash\nif [ $# = 0 ]; then\n" + script.substr(from, to - from) + "\nfi\nexec '" DBANDIT_PROGRAM "' \"$@\"\n");
    std::filesystem::permissions(scratch_ / "run.sh", std::filesystem::perms::owner_all);
    std::filesystem::copy(std::filesystem::path(DBANDIT_SOURCE) / "results", scratch_ / "results",
                          std::filesystem::copy_options::recursive);
    std::filesystem::create_directory(scratch_ / "bin");
    std::filesystem::create_symlink(DBANDIT_PROGRAM, (scratch_ / "bin") + "/dbandit");
  }

  [[nodiscard]] Ran run(const std::string& command) const {
    const std::string script = "cd '" + scratch_.path().string() +
                               "' && PATH=$PWD/bin:$PATH && export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 && { " +
                               command + "\n} 2>&1";
    write_file(scratch_ / "command", script);
    Ran ran;
    std::FILE* pipe = ::popen(("bash '" + (scratch_ / "command") + "'").c_str(), "r");
    std::array<char, 4096> buffer;
    for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) ran.out.append(buffer.data(), n);
    const int status = ::pclose(pipe);
    ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return ran;
  }
  void write(const std::string& name, const std::vector<std::string>& lines) const {
    std::ofstream file(scratch_ / name);
    for (const std::string& line : lines) file << line << '\n';
  }

 private:
  Scratch scratch_;
};

/// A command of a block and what is shown below it.
struct ReadmeCommand {
  std::string text;
  std::size_t line = 0;
  std::vector<std::string> shown;
};

inline std::vector<ReadmeCommand> readme_commands(const ReadmeBlock& block) {
  std::vector<ReadmeCommand> commands;
  const bool console = block.language == "console";
  bool continues = false;
  for (std::size_t i = 0; i < block.lines.size(); ++i) {
    const std::string& line = block.lines[i];
    if (continues) {
      commands.back().text += "\n" + line;
    } else if (console && !line.starts_with("$ ")) {
      if (!commands.empty()) commands.back().shown.push_back(line);
      continue;
    } else if (!line.empty()) {
      commands.push_back({console ? line.substr(2) : line, block.line + i, {}});
    }
    continues = line.ends_with("\\");
  }
  for (ReadmeCommand& command : commands) {
    while (!command.shown.empty() && command.shown.back().empty()) command.shown.pop_back();
  }
  return commands;
}

/// Puts what a command prints now in the place of what is shown below it.
inline void rewrite(const std::string& page, const ReadmeCommand& command, const std::vector<std::string>& printed) {
  const std::filesystem::path path = std::filesystem::path(DBANDIT_SOURCE) / page;
  std::string text = read_file(path), shown, now;
  for (const std::string& line : command.shown) shown += line + "\n";
  for (const std::string& line : printed) now += line + "\n";
  const std::string asked = "$ " + command.text + "\n";
  const std::size_t at = text.find(asked + shown);
  if (at != std::string::npos) write_file(path, text.replace(at + asked.size(), shown.size(), now));
}

inline void expect_block(const ReadmeFolder& folder, const ReadmeBlock& block, const std::string& page) {
  for (const ReadmeCommand& command : readme_commands(block)) {
    const Ran ran = folder.run(command.text);
    const std::string where = page + ":" + std::to_string(command.line) + ": " + command.text + "\nprinted:\n" + ran.out;
    EXPECT_EQ(ran.exit, 0) << where;
    if (block.language != "console") continue;
    std::vector<std::string> printed = lines_of(ran.out);
    while (!printed.empty() && printed.back().empty()) printed.pop_back();
    if (block.is_of_a_machine()) {
      for (const std::string& line : command.shown) {
        std::string word;
        std::istringstream(line) >> word;
        if (word.empty() || word == "…" || word == "fix:" || word == "!" || word == "ok") continue;
        EXPECT_NE(ran.out.find(word), std::string::npos) << word << "\n" << where;
      }
    } else if (const bool is_same = shows(command.shown, printed);
               !is_same && std::getenv("DBANDIT_REWRITE_PAGES") != nullptr && std::ranges::count(command.shown, "…") == 0) {
      rewrite(page, command, printed);
    } else {
      EXPECT_TRUE(is_same) << where;
    }
  }
}

/// README and the pages of docs/.
inline std::vector<std::string> all_pages() {
  std::vector<std::string> pages{"README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(DBANDIT_SOURCE) / "docs")) {
    if (entry.path().extension() == ".md") pages.push_back("docs/" + entry.path().filename().string());
  }
  std::ranges::sort(pages);
  return pages;
}

/// All blocks that can be run, those marked `slow` only when asked for.
inline void expect_page(bool slow, const std::string& page) {
  const std::vector<ReadmeBlock> blocks = readme_blocks(page);
  if (slow && std::ranges::none_of(blocks, &ReadmeBlock::is_slow)) GTEST_SKIP() << "nothing slow in it";
  const ReadmeFolder folder;
  for (const ReadmeBlock& block : blocks) {
    if (block.language == "toml") folder.write("spec.toml", block.lines);
    if ((block.language != "sh" && block.language != "console") || block.marker == "not run" || (block.is_slow() && !slow)) continue;
    expect_block(folder, block, page);
  }
}

class Pages : public ::testing::TestWithParam<std::string> {};
inline const auto kPageName = [](const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  name.front() = static_cast<char>(std::toupper(name.front()));
  return name;
};

}  // namespace dbandit::test
