#include "tree.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

namespace dbandit::cli {
namespace {

std::map<const CLI::Option*, Expected>& known() {
  static std::map<const CLI::Option*, Expected> all;
  return all;
}

Word word_of(const CLI::Option& option) {
  Word word;
  word.help = option.get_description();
  word.group = option.get_group();
  word.repeated = option.get_items_expected_max() > 1;
  word.name = option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front();
  word.expected = expected(option);
  if (word.name == "--help") word.help = "print the help and exit";
  if (word.name == "--version") word.help = "print version, commit and compiler and exit";
  return word;
}

Page page_of(const CLI::App& app) {
  Page page{
      .name = app.get_parent() == nullptr ? "" : app.get_name(), .summary = app.get_description(), .end = app.get_footer(), .words = {}};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty() && (option->get_positional() || !option->get_lnames().empty())) page.words.push_back(word_of(*option));
  }
  // Arguments first, then the groups in the order in which they appear, and what every command has at the end.
  std::vector<std::string> groups;
  for (const Word& word : page.words) {
    if (std::ranges::find(groups, word.group) == groups.end()) groups.push_back(word.group);
  }
  std::ranges::stable_sort(page.words, {}, [&](const Word& word) {
    if (!word.is_flag()) return std::ptrdiff_t{-1};
    if (word.group == "Options") return std::ssize(groups);
    return std::ranges::find(groups, word.group) - groups.begin();
  });
  return page;
}

}  // namespace

void expect(const CLI::Option* option, Expected expected) { known()[option] = std::move(expected); }

Expected expected(const CLI::Option& option) {
  const auto found = known().find(&option);
  return found != known().end() ? found->second : Expected{};
}

std::vector<Page> pages(const CLI::App& program) {
  std::vector<Page> all{page_of(program)};
  for (const CLI::App* command : program.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); })) {
    all.push_back(page_of(*command));
  }
  return all;
}

std::string readme_table(const std::vector<Page>& all) {
  std::string text = "| command | arguments and flags |\n|---|---|\n";
  for (const Page& page : all) {
    std::string words;
    for (const Word& word : page.words) {
      if (word.name == "--help" && !page.name.empty()) continue;
      words += (words.empty() ? "`" : " `") + word.name + "`";
    }
    text += "| `dbandit" + (page.name.empty() ? "" : " " + page.name) + "` | " + words + " |\n";
  }
  return text;
}

}  // namespace dbandit::cli
