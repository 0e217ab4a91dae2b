#pragma once

#include <string>

#include "dbandit/core/error.hpp"
#include "report/columns.hpp"

namespace dbandit::cli {

/// What `bench --against` was asked.
struct Against {
  std::string other;     ///< a program, or a commit
  double threshold = 0;  ///< a change of that share, or less, is none
  double seconds = 0;    ///< after so many no repetition is begun
  bool smoke = false;    ///< for the tests: toy problems, and the figures mean nothing
  report::Style style;
};

/// This program against another one: both run the same simulations in turn, their CPU times are compared, and a table says what
/// changed. ExitCode::differs when this one is slower somewhere by more than the threshold.
ExitCode bench_against(const Against& asked);

}  // namespace dbandit::cli
