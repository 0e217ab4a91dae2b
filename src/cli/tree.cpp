#include "tree.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "dbandit/policy/catalogue.hpp"

namespace dbandit::cli {
namespace {

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t at = std::min(text.find(separator, from), text.size());
    parts.emplace_back(text.substr(from, at - from));
    from = at + separator.size();
  }
  return parts;
}

Expected choice_or(Expected::Kind otherwise, std::vector<std::string> words) {
  if (words.size() > 1 && std::ranges::all_of(words, is_word)) return {Expected::Kind::choice, std::move(words)};
  return {otherwise, {}};
}

std::vector<std::string> policy_ids() {
  std::vector<std::string> ids;
  for (const policy::Entry& entry : policy::catalogue()) ids.emplace_back(entry.id);
  return ids;
}

/// What stands for a flag's value names the choices ("auto|avx2") or the kind of thing.
Expected after_flag(std::string_view metavar) {
  using enum Expected::Kind;
  if (metavar.empty()) return {nothing, {}};
  if (metavar == "ID,ID,...") return {policies, policy_ids()};
  if (metavar == "DIR") return {folder, {}};
  if (metavar.ends_with(".json") || metavar.ends_with(".html") || metavar == "FILE") return {file, {}};
  return choice_or(anything, split(metavar, "|"));
}

/// The help of an argument lists its choices ("policies, delays or targets; …") or says that it is a folder or a file.
Expected of_argument(std::string_view help) {
  std::vector<std::string> words = split(help.substr(0, help.find(';')), ", ");
  std::vector<std::string> last = split(words.back(), " or ");
  words.pop_back();
  std::ranges::move(last, std::back_inserter(words));
  const bool folders = help.find("folder") != std::string_view::npos || help.find("director") != std::string_view::npos;
  return choice_or(folders ? Expected::Kind::folder : Expected::Kind::file, std::move(words));
}

Word word_of(const CLI::Option& option) {
  Word word;
  word.help = option.get_description();
  word.group = option.get_group();
  word.repeated = option.get_items_expected_max() > 1;
  if (option.get_positional()) {
    word.name = option.get_name(true);
    word.expected = of_argument(word.help);
  } else {
    word.name = "--" + option.get_lnames().front();
    if (option.get_items_expected_max() > 0) word.metavar = option.get_type_name();
    word.expected = after_flag(word.metavar);
  }
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
