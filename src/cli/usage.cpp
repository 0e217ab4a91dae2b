#include "usage.hpp"

#include <algorithm>
#include <cstddef>

#include "command.hpp"

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

}  // namespace

std::vector<Usage> usages() {
  std::vector<Usage> all{program_usage()};
  for (const Command& command : commands()) {
    if (!command.summary.empty()) all.push_back(declared(command).usage);
  }
  for (Usage& usage : all) sort_words(usage.words);
  return all;
}

std::string readme_table(const std::vector<Usage>& all) {
  std::string text = "| command | arguments and flags |\n|---|---|\n";
  for (const Usage& usage : all) {
    std::string words;
    for (const Word& word : usage.words) {
      if (word.name == "--help" && !usage.name.empty()) continue;
      words += (words.empty() ? "`" : " `") + word.long_name() + "`";
    }
    text += "| `dbandit" + (usage.name.empty() ? "" : " " + usage.name) + "` | " + words + " |\n";
  }
  return text;
}

}  // namespace dbandit::cli
