#pragma once

#include "kernel/lanes.hpp"

namespace dbandit::kernel {

/// Threefry-2x64 with 20 rounds (Salmon et al. 2011), one call per lane: equal to Random123's scalar output bit for bit. A call is one
/// chain of dependent operations; `Abreast` calls are interleaved so that the machine has something to do meanwhile.
/// In: the counters {x0, x1}. Out: the words in their place.
template <class Arch, std::size_t Abreast>
[[gnu::always_inline]] inline void threefry(std::uint64_t key0, std::uint64_t key1, Words<Arch> (&x0)[Abreast],
                                            Words<Arch> (&x1)[Abreast]) {
  const std::uint64_t schedule[3] = {key0, key1, 0x1BD11BDAA9FC1A22ULL ^ key0 ^ key1};
  const auto mix = [&]<int Rotation>() __attribute__((always_inline)) {
    for (std::size_t i = 0; i < Abreast; ++i) x0[i] = x0[i] + x1[i];
    for (std::size_t i = 0; i < Abreast; ++i) x1[i] = rotate_left<Rotation, Arch>(x1[i]);
    for (std::size_t i = 0; i < Abreast; ++i) x1[i] = x1[i] ^ x0[i];
  };
  const auto inject = [&](unsigned step) __attribute__((always_inline)) {
    const Words<Arch> k0(schedule[step % 3]), k1(schedule[(step + 1) % 3] + step);
    for (std::size_t i = 0; i < Abreast; ++i) x0[i] = x0[i] + k0, x1[i] = x1[i] + k1;
  };
  const auto even = [&](unsigned step) __attribute__((always_inline)) {
    mix.template operator()<16>();
    mix.template operator()<42>();
    mix.template operator()<12>();
    mix.template operator()<31>();
    inject(step);
  };
  const auto odd = [&](unsigned step) __attribute__((always_inline)) {
    mix.template operator()<16>();
    mix.template operator()<32>();
    mix.template operator()<24>();
    mix.template operator()<21>();
    inject(step);
  };
  inject(0);
  even(1), odd(2), even(3), odd(4), even(5);
}

/// first, first + 1, …: the counters of neighbouring replicas.
template <class Arch>
inline Words<Arch> counting_from(std::uint64_t first) {
  alignas(64) std::uint64_t lane[Words<Arch>::size];
  for (std::size_t i = 0; i < Words<Arch>::size; ++i) lane[i] = first + i;
  return Words<Arch>::load_aligned(lane);
}

}  // namespace dbandit::kernel
