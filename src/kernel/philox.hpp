#pragma once

#include "kernel/lanes.hpp"
#include "rng/draws.hpp"

namespace dbandit::kernel {

/// Philox 4x32 with 10 rounds (Salmon et al. 2011), one call per lane: equal to Random123's scalar output bit for bit. A lane of 64 bits
/// holds a word of 32, whatever its upper half: the multiplication reads the lower one alone. A call is one chain of dependent
/// operations; `Abreast` calls are interleaved so that the machine has something to do meanwhile.
/// In: the streams with the index above bit 8, and the replicas; out: the two words of 64 bits of rng::words at (stream, index, replica,
/// round).
template <class Arch, std::size_t Abreast>
[[gnu::always_inline]] inline void philox(std::uint64_t seed, const Words<Arch> (&stream)[Abreast], const Words<Arch> (&replica)[Abreast],
                                          const Words<Arch> (&round)[Abreast], Words<Arch> (&low)[Abreast], Words<Arch> (&high)[Abreast]) {
  using W = Words<Arch>;
  constexpr std::uint64_t kLow = 0xFFFFFFFF;
  const W multiplier0(0xD2511F53ULL), multiplier1(0xCD9E8D57ULL);
  std::uint64_t key0 = seed & kLow, key1 = seed >> 32;
  W c0[Abreast], c1[Abreast], c2[Abreast], c3[Abreast];
  for (std::size_t i = 0; i < Abreast; ++i) {
    c0[i] = replica[i], c1[i] = replica[i] >> 32, c2[i] = round[i], c3[i] = stream[i];
  }
#pragma GCC unroll 10
  for (int step = 0; step < 10; ++step) {
    const W k0(key0), k1(key1);
    for (std::size_t i = 0; i < Abreast; ++i) {
      const W product0 = multiply_low_halves<Arch>(multiplier0, c0[i]), product1 = multiply_low_halves<Arch>(multiplier1, c2[i]);
      c0[i] = (product1 >> 32) ^ c1[i] ^ k0, c1[i] = product1;
      c2[i] = (product0 >> 32) ^ c3[i] ^ k1, c3[i] = product0;
    }
    key0 = (key0 + 0x9E3779B9) & kLow, key1 = (key1 + 0xBB67AE85) & kLow;
  }
  for (std::size_t i = 0; i < Abreast; ++i) {
    low[i] = (c0[i] & W(kLow)) | (c1[i] << 32);
    high[i] = (c2[i] & W(kLow)) | (c3[i] << 32);
  }
}

/// Calls of one stream at one index.
template <class Arch, std::size_t Abreast>
[[gnu::always_inline]] inline void philox(std::uint64_t seed, rng::Stream stream, std::uint64_t index,
                                          const Words<Arch> (&replica)[Abreast], const Words<Arch> (&round)[Abreast],
                                          Words<Arch> (&low)[Abreast], Words<Arch> (&high)[Abreast]) {
  Words<Arch> streams[Abreast];
  for (auto& one : streams) one = Words<Arch>(static_cast<std::uint64_t>(stream) | index << 8);
  philox<Arch>(seed, streams, replica, round, low, high);
}

/// first, first + 1, …: neighbouring replicas.
template <class Arch>
inline Words<Arch> counting_from(std::uint64_t first) {
  alignas(64) std::uint64_t lane[Words<Arch>::size];
  for (std::size_t i = 0; i < Words<Arch>::size; ++i) lane[i] = first + i;
  return Words<Arch>::load_aligned(lane);
}

/// Calls at neighbouring replicas of one round, from `first` on.
template <class Arch, std::size_t Abreast>
[[gnu::always_inline]] inline void philox_from(std::uint64_t seed, rng::Stream stream, std::uint64_t index, std::uint64_t first,
                                               std::uint64_t round, Words<Arch> (&low)[Abreast], Words<Arch> (&high)[Abreast]) {
  Words<Arch> replica[Abreast], rounds[Abreast];
  for (std::size_t i = 0; i < Abreast; ++i) replica[i] = counting_from<Arch>(first + i * Words<Arch>::size), rounds[i] = Words<Arch>(round);
  philox<Arch>(seed, stream, index, replica, rounds, low, high);
}

}  // namespace dbandit::kernel
