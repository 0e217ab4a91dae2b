#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "dbandit/sim/executor.hpp"

/// What a run needs of MPI; mpi.cpp alone knows how it is done.
namespace dbandit::sim::ranks {

/// Whether this process leads others.
bool is_lead();
struct Neighbours {
  int ranks = 1;
  int cores = 0;  ///< that one or more of them may use
};
/// The ranks on this machine, this one included.
Neighbours neighbours();
/// Tells the others what there is to do. Returns the threads of all together.
int announce(const std::string& job, int threads);
/// The others stop waiting for items of the job.
void dismiss();

struct Share {
  int threads = 1;  ///< of this process
  std::size_t slots = 1;
  std::size_t first = 0, count = 0;  ///< items of the job
};
/// As sim::for_each_in_order; items go to whoever is free, and those of other ranks `arrive` as bytes, on the calling thread.
std::size_t for_each_in_order(const Share& share, const std::stop_token& stop, const std::function<void(const Place&)>& produce,
                              const std::function<bool(const Place&, std::string_view)>& arrive,
                              const std::function<void(const Place&)>& consume);

}  // namespace dbandit::sim::ranks
