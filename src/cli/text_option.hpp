#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "dbandit/core/error.hpp"
#include "core/suggest.hpp"
#include "expected.hpp"

namespace dbandit::cli {

/// An option as the user typed it. Values are read by those who know what is allowed, not by the parser, so that a flag
/// and a key of a spec file are refused in the same words.
class TextOption {
 public:
  void declare(CLI::App& command, const std::string& name, Expected expected, const std::string& help, const std::string& group) {
    name_ = name;
    expect(command.add_option(name, given_, help)
               ->type_name(expected.metavar)
               ->group(group)
               ->expected(1)
               ->allow_extra_args(false)
               ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll),
           expected);
  }

  /// nullptr when it was not given. Twice is an error: the second of two lists would silently drop the first.
  [[nodiscard]] const std::string* value() const {
    if (given_.size() > 1) throw UserError(name_ + ": given twice, " + dbandit::quoted(given_[0]) + " and " + dbandit::quoted(given_[1]));
    return given_.empty() ? nullptr : &given_.front();
  }

 private:
  std::string name_;
  std::vector<std::string> given_;
};

}  // namespace dbandit::cli
