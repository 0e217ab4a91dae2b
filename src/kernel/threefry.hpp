#pragma once

#include "kernel/lanes.hpp"

namespace dbandit::kernel {

template <class Arch>
struct WordPair {
  Words<Arch> lo, hi;
};

/// Threefry-2x64 with 20 rounds (Salmon et al. 2011), one call per lane: equal to Random123's scalar output bit for bit.
template <class Arch>
inline WordPair<Arch> threefry(std::uint64_t key0, std::uint64_t key1, Words<Arch> x0, Words<Arch> x1) {
  const std::uint64_t schedule[3] = {key0, key1, 0x1BD11BDAA9FC1A22ULL ^ key0 ^ key1};
  const auto mix = [&]<int Rotation>() {
    x0 = x0 + x1;
    x1 = rotate_left<Rotation, Arch>(x1);
    x1 = x1 ^ x0;
  };
  const auto inject = [&](unsigned step) {
    x0 = x0 + Words<Arch>(schedule[step % 3]);
    x1 = x1 + Words<Arch>(schedule[(step + 1) % 3] + step);
  };
  const auto even = [&](unsigned step) {
    mix.template operator()<16>();
    mix.template operator()<42>();
    mix.template operator()<12>();
    mix.template operator()<31>();
    inject(step);
  };
  const auto odd = [&](unsigned step) {
    mix.template operator()<16>();
    mix.template operator()<32>();
    mix.template operator()<24>();
    mix.template operator()<21>();
    inject(step);
  };
  inject(0);
  even(1), odd(2), even(3), odd(4), even(5);
  return {x0, x1};
}

/// first, first + 1, …: the counters of neighbouring replicas.
template <class Arch>
inline Words<Arch> counting_from(std::uint64_t first) {
  alignas(64) std::uint64_t lane[Words<Arch>::size];
  for (std::size_t i = 0; i < Words<Arch>::size; ++i) lane[i] = first + i;
  return Words<Arch>::load_aligned(lane);
}

}  // namespace dbandit::kernel
