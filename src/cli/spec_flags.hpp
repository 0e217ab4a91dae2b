#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "dbandit/sim/spec.hpp"
#include "text_option.hpp"

namespace dbandit::cli {

/// SPEC.toml and one flag per key of a spec.
class SpecFlags {
 public:
  /// No keys: all of them.
  void declare(Usage& command, std::initializer_list<std::string_view> keys = {});
  /// The file, overridden by the flags.
  [[nodiscard]] sim::SpecDraft draft() const;

 private:
  std::string file_;
  std::map<std::string_view, TextOption> flags_;
};

}  // namespace dbandit::cli
