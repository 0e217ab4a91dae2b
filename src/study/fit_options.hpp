#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fit/families.hpp"
#include "fit/log.hpp"

/// What `fit` may be told, as text: the flags of the program and the keywords of Python.
namespace dbandit::study {

struct FitTexts {
  std::optional<std::string> round, window;  ///< "250" in the log's unit, or "10m" in one of its own
  std::optional<std::string> end;            ///< a time of the log
  std::optional<std::string> unit;           ///< of the log's times, one of unit_names(); none: s
  std::optional<std::string> columns;        ///< "start=click_time,conversion=sale_time"
  std::optional<std::string> laws;           ///< of law_names(), with commas; none: all
};

std::vector<std::string_view> unit_names();
std::vector<std::string_view> law_names();

/// Both throw UserError that names the flag.
fit::LogOptions log_options(const FitTexts& texts);
std::vector<const fit::Family*> families_of(const FitTexts& texts);

}  // namespace dbandit::study
