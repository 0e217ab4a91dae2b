#pragma once

#include <string>
#include <vector>

#include "core/suggest.hpp"
#include "dbandit/core/error.hpp"
#include "usage.hpp"

namespace dbandit::cli {

/// An option as the user typed it. Values are read by those who know what is allowed, not by the parser, so that a flag
/// and a key of a spec file are refused in the same words.
class TextOption {
 public:
  void declare(Usage& command, const std::string& name, Expected expected, const std::string& help, const std::string& group) {
    name_ = name;
    command.option(name, given_, std::move(expected), help, group);
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
