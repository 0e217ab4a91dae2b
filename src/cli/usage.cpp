#include "usage.hpp"

#include <algorithm>
#include <cstddef>

#include "command.hpp"
#include "core/text.hpp"

namespace dbandit::cli {
namespace {

/// Arguments first, then the groups in the order in which they appear, and what every command has at the end.
void sort_words(std::vector<Word>& words) {
  std::erase_if(words, [](const Word& word) { return word.group.empty(); });
  std::vector<std::string> groups;
  for (const Word& word : words) {
    if (std::ranges::find(groups, word.group) == groups.end()) groups.push_back(word.group);
  }
  std::ranges::stable_sort(words, {}, [&](const Word& word) {
    if (!word.is_flag()) return std::ptrdiff_t{-1};
    if (word.group == Usage::kGeneral) return std::ssize(groups);
    return std::ranges::find(groups, word.group) - groups.begin();
  });
}

/// The paragraph "Exit codes:" of a help as a table.
std::string exit_table(std::string_view end) {
  constexpr std::string_view kHeading = "Exit codes:\n";
  end.remove_prefix(end.find(kHeading) + kHeading.size());
  std::string table = "\n| exit code | when |\n|---|---|\n";
  for (const std::string_view line : split(end.substr(0, end.find("\n\n")), '\n')) {
    const std::string_view row = trimmed(line);
    const std::size_t gap = row.find(' ');
    table.append("| ").append(row.substr(0, gap)).append(" | ").append(trimmed(row.substr(gap))).append(" |\n");
  }
  return table;
}

}  // namespace

std::vector<Usage> usages() {
  std::vector<Usage> all{program_usage()};
  for (const Command& command : commands()) {
    if (!command.summary.empty()) all.push_back(declared(command).usage);
  }
  for (Usage& usage : all) sort_words(usage.words);
  return all;
}

std::string flags_page(const std::vector<Usage>& all) {
  std::string text =
      "# Which flags are there?\n\nWhat `dbandit COMMAND --help` says, in one page; written by `dbandit generate flags`. Every command has "
      "`--help`.\n";
  // A | ends a cell, also within code.
  const auto cell = [](std::string of) {
    for (std::size_t at = 0; (at = of.find('|', at)) != std::string::npos; at += 2) of.insert(at, "\\");
    return of;
  };
  for (const Usage& usage : all) {
    text += "\n## `dbandit" + (usage.name.empty() ? "" : " " + usage.name) + "`\n\n" +
            (usage.summary.empty() ? "" : usage.summary + "\n\n") + "| | |\n|---|---|\n";
    for (const Word& word : usage.words) {
      if (word.name == "--help" && !usage.name.empty()) continue;
      const std::string value = word.is_flag() && !word.expected.metavar.empty() ? " " + word.expected.metavar : "";
      text += "| `" + cell(word.name + value) + "` | " + cell(word.help) + " |\n";
    }
    if (usage.name.empty()) text += exit_table(usage.end);
  }
  return text;
}

}  // namespace dbandit::cli
