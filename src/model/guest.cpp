#include "dbandit/model/guest.hpp"

#include "rng/draws.hpp"

namespace dbandit::model {

double guest_uniform(std::uint64_t seed, std::uint64_t replica, std::int64_t round, std::uint32_t stream) {
  return rng::open_uniform(rng::words(seed, rng::Stream::guest, stream, replica, static_cast<std::uint64_t>(round))[0] >> 12);
}

}  // namespace dbandit::model
