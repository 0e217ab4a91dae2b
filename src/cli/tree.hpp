#pragma once

#include <string>
#include <vector>

#include "expected.hpp"

/// The commands and their flags as data, so that manual pages, completions and the table of README say what the parser knows.
namespace dbandit::cli {

/// A flag or an argument.
struct Word {
  std::string name;  ///< "--theta", or "SPEC"
  std::string help;
  std::string group;
  bool repeated = false;
  Expected expected;
  [[nodiscard]] bool is_flag() const { return name.starts_with('-'); }
};

/// A command, or the program itself.
struct Page {
  std::string name;  ///< "run"; empty for the program
  std::string summary;
  std::string end;  ///< of its help: examples and more
  std::vector<Word> words;
};

/// The program first, then its commands in their order; hidden ones are left out.
std::vector<Page> pages(const CLI::App& program);

std::string manual_page(const Page& page, const std::vector<Page>& all);
std::string bash_completion(const std::vector<Page>& all);
std::string zsh_completion(const std::vector<Page>& all);
std::string fish_completion(const std::vector<Page>& all);
/// A row per command: its arguments and flags.
std::string readme_table(const std::vector<Page>& all);

}  // namespace dbandit::cli
