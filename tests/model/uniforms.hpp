#pragma once

#include <cstdint>

#include "dbandit/model/delay_law.hpp"
#include "rng/draws.hpp"

namespace dbandit::model {

inline constexpr std::uint64_t kUniforms = std::uint64_t{1} << 52;

/// The law of D is decided by how many of the 2^52 uniforms lie beyond d: delay_at falls as v rises, so halving finds that
/// number exactly, in the far tail too, without a single random draw.
inline std::uint64_t uniforms_beyond(const DelayLaw& law, std::int64_t d) {
  std::uint64_t low = 0, high = kUniforms;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (delay_at(law, rng::open_uniform(middle)) > d) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace dbandit::model
