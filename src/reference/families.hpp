#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>

#include "reference/index.hpp"

namespace dbandit::reference {

/// A family written literally, with its state: the arm of round t, given the start order and what is known after round t − 1. Asked once
/// for every round, in order. A value: a copy of the learner goes on from the same state.
using Literal = std::function<std::size_t(std::int64_t t, std::span<const std::size_t> start, std::span<const ArmStatistics> arms)>;

/// That of a family which a rule names; none where statistic and index say what is played.
inline Literal literal(std::string_view family) {
  const std::map<std::string_view, Literal> families = {
      {"", {}},
  };
  const auto found = families.find(family);
  assert(found != families.end());
  return found->second;
}

}  // namespace dbandit::reference
