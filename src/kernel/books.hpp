#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "kernel/arena.hpp"

/// What every part may read: the size of the block, and its books. Raw pointers on purpose (ODR): the linker may keep the AVX copy of a
/// container's inline function and run it on a CPU without AVX. For the same reason what is inline here is always inlined.
namespace dbandit::kernel {

/// How a ring stores an arm: as narrow as it fits, or as a double where the buffer compares it with doubles.
enum class ArmIds { byte, word, real };

/// The arms of the last `length` rounds: round s is in slot s mod length.
struct Ring {
  void* ids = nullptr;      ///< [slot][lane]
  std::int64_t length = 0;  ///< 0: nothing is remembered
  ArmIds stored_as = ArmIds::byte;

  void declare(Rows& rows, std::size_t lanes) {
    const std::size_t width = stored_as == ArmIds::byte ? 1 : stored_as == ArmIds::word ? 2 : 8;
    rows(ids, static_cast<std::size_t>(length) * lanes, width);
  }
  template <class ArmId>
  [[gnu::always_inline]] ArmId* slot(std::int64_t round, std::size_t lanes) const {
    return static_cast<ArmId*>(ids) + static_cast<std::size_t>(round % length) * lanes;
  }
  /// Hands the type of an arm id to `visit`.
  template <class Visit>
  [[gnu::always_inline]] void with_type(Visit visit) const {
    switch (stored_as) {
      case ArmIds::byte:
        return visit(std::uint8_t{});
      case ArmIds::word:
        return visit(std::uint16_t{});
      case ArmIds::real:
        return visit(double{});
    }
  }
};

/// An arm id kept as a real. (By way of a signed integer: the unsigned conversion is a dozen instructions.)
[[gnu::always_inline]] inline std::size_t arm_of(double id) { return static_cast<std::size_t>(static_cast<std::int64_t>(id)); }

struct Books {
  std::size_t lanes = 0;     ///< row stride, a multiple of kLaneGroup
  std::size_t replicas = 0;  ///< the lanes beyond are padding
  std::size_t arms = 0;
  std::uint64_t first = 0;  ///< replica of lane 0
  std::uint64_t seed = 0;
  std::int64_t horizon = 0;
  std::int64_t window = 0;  ///< m, at most the horizon (no pull gets older); 0 when uncensored

  // Rows, [arm][lane] unless said. Everybody may read them; who writes is said.
  double* pulls = nullptr;          ///< N: account
  double* matured = nullptr;        ///< M: account
  double* conversions = nullptr;    ///< S (Z for matured, ΣC for immediate feedback): disclose
  double* missed = nullptr;         ///< [lane] disclosed conversions of the best arm that ours were not: disclose
  double* action = nullptr;         ///< [lane] A_t, as a real so that it compares with vectors of them: choose
  std::uint16_t* order = nullptr;   ///< start order, [position][lane]
  Ring ring;                        ///< of the last pulls: account
  std::uint64_t* key = nullptr;     ///< scratch of sort_arms, [arm]
  std::uint16_t* sorted = nullptr;  ///< [arm]

  [[nodiscard, gnu::always_inline]] std::size_t cells() const { return arms * lanes; }
  /// The arm that a lane plays.
  [[nodiscard, gnu::always_inline]] std::size_t arm(std::size_t lane) const {
    assert(lane < lanes && arm_of(action[lane]) < arms);
    return arm_of(action[lane]);
  }

  /// The arms by falling key, equal keys: the lowest arm first.
  template <class Key>
  void sort_arms(Key key_of) const {
    for (std::size_t arm = 0; arm < arms; ++arm) sorted[arm] = static_cast<std::uint16_t>(arm), key[arm] = key_of(arm);
    std::sort(sorted, sorted + arms, [this](auto a, auto b) { return key[a] != key[b] ? key[a] > key[b] : a < b; });
  }
  /// The rows of every round come last and the exposure's and the policy's after them, so that they lie as near as they are used.
  void declare(Rows& rows) {
    rows(order, cells());
    rows(key, arms);
    rows(sorted, arms);
    ring.declare(rows, lanes);
    rows(missed, lanes);
    rows(action, lanes);
    for (double** row : {&conversions, &pulls, &matured}) rows(*row, cells());
  }
};

}  // namespace dbandit::kernel
