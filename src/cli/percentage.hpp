#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "core/text.hpp"
#include "text_option.hpp"

namespace dbandit::cli {

/// "2" or "2%" as a share, 0.02; `of` says of what.
inline double percentage(const TextOption& option, double otherwise, std::string_view name, std::string_view of) {
  const std::string* text = option.value();
  if (text == nullptr) return otherwise;
  std::string_view number = *text;
  if (number.ends_with('%')) number.remove_suffix(1);
  const double percent = parse_number<double>(number).value_or(-1);
  if (!(percent >= 0 && percent <= 1e6)) {
    throw UserError(fmt::format("{}: {} is not a percentage of {} from 0, as in 2 or 2%", name, dbandit::quoted(*text), of));
  }
  return percent / 100;
}

}  // namespace dbandit::cli
