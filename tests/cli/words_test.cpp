#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "dbandit/kernel/target.hpp"

/// Help, manual pages, completions and docs/flags.md name the same commands and flags: those of the parser.
namespace dbandit::test {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

Names all_matches(const std::string& text, const std::regex& pattern) {
  Names found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) found.insert((*match)[1]);
  return found;
}

/// From `dbandit --help` alone, which nothing here is generated from.
Names commands() {
  const std::string help = dbandit({"--help"}).out;
  const std::size_t from = help.find("\nSimulate:\n"), to = help.find("\nExamples:", from);
  return all_matches(help.substr(from, to - from), std::regex(R"(\n  ([a-z]+) )"));
}

Names flags(const std::string& command) {
  Names found = all_matches(dbandit({command, "--help"}).out, std::regex(R"(\n +(?:-[a-z],)?(--[a-z-]+))"));
  EXPECT_TRUE(found.contains("--help")) << command;
  return found;
}

std::string generated(const std::string& what) { return dbandit({"generate", what}).out; }

std::string shell(const std::string& script) {
  std::string out;
  std::FILE* pipe = ::popen(script.c_str(), "r");
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), n);
  EXPECT_EQ(::pclose(pipe), 0) << script;
  return out;
}

Names words(const std::string& text) {
  std::istringstream stream(text);
  Names found;
  for (std::string word; stream >> word;) found.insert(word);
  return found;
}

/// What bash offers when TAB is pressed behind these words.
Names bash_offers(const std::string& file, const std::string& typed) {
  return words(shell("bash -c '. \"" + file + "\"; COMP_WORDS=(" + typed +
                     "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _dbandit; printf \"%s\\n\" \"${COMPREPLY[@]}\"'"));
}

TEST(Words, OfManualPagesAreTheFlagsOfTheParser) {
  const Scratch scratch;
  ASSERT_EQ(dbandit({"generate", "man", scratch.path().string()}).exit, 0);
  ASSERT_GT(commands().size(), 10u);
  std::size_t pages = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(scratch.path())) ++pages;
  EXPECT_EQ(pages, 1 + commands().size()) << "one for the program, one for each command";
  for (const std::string& command : commands()) {
    const std::string page = read_file(scratch.path() / ("dbandit-" + command + ".1"));
    Names found;
    for (const std::string& name : all_matches(page, std::regex(R"(\n\.BI? (\\-\\-[a-z\\-]+))"))) {
      found.insert(std::regex_replace(name, std::regex(R"(\\-)"), "-"));
    }
    EXPECT_EQ(found, flags(command)) << command;
  }
}

TEST(Words, OfBashCompletionAreTheFlagsOfTheParser) {
  const Scratch scratch;
  const std::string file = scratch / "dbandit";
  write_file(file, generated("bash"));
  Names offered = bash_offers(file, R"(dbandit "")");
  for (const char* flag : {"--help", "--version"}) EXPECT_EQ(offered.erase(flag), 1u);
  EXPECT_EQ(offered, commands());
  for (const std::string& command : commands()) EXPECT_EQ(bash_offers(file, "dbandit " + command + " --"), flags(command)) << command;
  Names targets{"auto"};
  for (const kernel::Target& target : kernel::targets()) targets.emplace(target.name);
  EXPECT_EQ(bash_offers(file, R"(dbandit run --target "")"), targets);
  EXPECT_EQ(bash_offers(file, "dbandit run --policies d-klucb,d-"),
            (Names{"d-klucb,d-ucb", "d-klucb,d-klucb", "d-klucb,d-ts", "d-klucb,d-imed"}));
  EXPECT_EQ(bash_offers(file, "dbandit list s"), (Names{"settings", "solvers"}));
  // Stated where the argument is declared, not guessed from its help.
  EXPECT_EQ(bash_offers(file, "dbandit run --exposure r"), (Names{"recursion"}));
  EXPECT_EQ(bash_offers(file, "dbandit claims lemma1 lemma1"), (Names{"lemma1", "lemma1-bounds", "lemma13", "lemma15"}));
  EXPECT_EQ(bash_offers(file, "dbandit plot --measure r"), (Names{"regret", "realised_regret"}));
  EXPECT_EQ(bash_offers(file, "dbandit claims lemma1-"), (Names{"lemma1-bounds"}));
}

TEST(Words, OfZshAndFishCompletionAreTheFlagsOfTheParser) {
  const std::string zsh = generated("zsh"), fish = generated("fish");
  EXPECT_EQ(all_matches(fish, std::regex(R"(__fish_use_subcommand -a ([a-z]+) )")), commands());
  for (const std::string& command : commands()) {
    const std::size_t from = zsh.find("\n    " + command + ") _arguments"), to = zsh.find("&& return", from);
    ASSERT_NE(from, std::string::npos) << command;
    EXPECT_EQ(all_matches(zsh.substr(from, to - from), std::regex(R"(\n +'\*?(--[a-z-]+)\[)")), flags(command)) << command;
    Names of_fish;
    for (const std::string& name : all_matches(fish, std::regex("__fish_seen_subcommand_from " + command + "' -l ([a-z-]+)"))) {
      of_fish.insert("--" + name);
    }
    EXPECT_EQ(of_fish, flags(command)) << command;
  }
}

TEST(Words, OfThePageOfFlagsAreTheParsers) {
  EXPECT_EQ(read_file(fs::path(DBANDIT_SOURCE) / "docs" / "flags.md"), generated("flags"))
      << "docs/flags.md is written by: dbandit generate flags docs/flags.md";
}

TEST(Words, ShellsAcceptWhatIsGeneratedForThem) {
  const Scratch scratch;
  for (const std::string name : {"bash", "zsh", "fish"}) {
    if (::system(("command -v " + name + " >/dev/null").c_str()) != 0) continue;
    write_file(scratch / name, generated(name));
    EXPECT_EQ(shell(name + " -n '" + (scratch / name) + "' 2>&1"), "");
  }
}

TEST(Words, TheManualHasNoWarnings) {
  if (::system("command -v groff >/dev/null") != 0) GTEST_SKIP() << "no groff here";
  const Scratch scratch;
  ASSERT_EQ(dbandit({"generate", "man", scratch.path().string()}).exit, 0);
  EXPECT_EQ(shell("groff -k -man -Tutf8 -ww -z '" + scratch.path().string() + "'/*.1 2>&1"), "");
}

/// What Ctrl-C leaves behind stands at the end of every help, and in the same words in the page about clusters.
TEST(Words, OfEveryHelpSayWhatAnInterruptLeavesBehind) {
  const std::string page = read_file(std::filesystem::path(DBANDIT_SOURCE) / "docs/cluster.md");
  for (const std::string& name : commands()) {
    const std::string help = dbandit({name, "--help"}).out, heading = "\nInterrupted (exit 130):\n  ";
    const std::size_t at = help.find(heading);
    ASSERT_NE(at, std::string::npos) << name;
    std::string text = help.substr(at + heading.size());
    text.erase(text.find_last_not_of(".\n") + 1);
    EXPECT_NE(page.find("| `" + name + "` | " + text + " |\n"), std::string::npos) << name << ": " << text;
  }
}

/// `run` stores, so it may meet another run; `bounds` does not; `compare` may find a difference.
TEST(Words, OfEveryHelpSayItsExitCodes) {
  for (const std::string& name : commands()) {
    const std::string help = dbandit({name, "--help"}).out;
    EXPECT_NE(help.find("\nExit codes:\n  0    done\n  1    "), std::string::npos) << name;
    EXPECT_NE(help.find("\n  130  interrupted"), std::string::npos) << name;
    const bool differs = name == "compare" || name == "replay" || name == "status" || name == "bench";
    EXPECT_EQ(help.find("\n  3    ") != std::string::npos, differs) << name;
  }
  const std::string run = dbandit({"run", "--help"}).out, bounds = dbandit({"bounds", "--help"}).out;
  for (const char* code : {"\n  2    ", "\n  4    ", "\n  5    ", "\n  6    ", "\n  7    "})
    EXPECT_NE(run.find(code), std::string::npos) << code;
  EXPECT_EQ(bounds.find("\n  5    "), std::string::npos);
}

}  // namespace
}  // namespace dbandit::test
