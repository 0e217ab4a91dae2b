#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>

#include "sim/coverage.hpp"

/// What a job needs of MPI; mpi.cpp alone knows how it is done.
namespace dbandit::sim {

class Job;

namespace ranks {

/// Whether mpirun started more than this process.
bool are_several();

struct Neighbours {
  int ranks = 1;
  int cores = 0;  ///< that one or more of them may use
};
/// The ranks on this machine, this one included.
Neighbours neighbours();

/// While it lives, the other ranks work on the job. For rank 0.
class Announcement {
 public:
  explicit Announcement(const Job& job);
  ~Announcement();
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;
};

/// The other ranks begin with these blocks, by run.
void open(std::span<const Coverage> blocks);
/// The next item that no rank has begun: one counter for all, so that no rank is in the middle. Called by all threads.
std::size_t next_item();
/// No rank begins another item of this stage.
void close();
bool is_closed();
/// What came of gathering.
struct Gathered {
  bool all = true;       ///< every rank has answered
  bool stopped = false;  ///< one of them was asked to stop
  std::string failure;   ///< what another rank could not do, for the user; empty when there was nothing
};
/// Adds what all ranks have done to the job of rank 0, along a tree. `failure`: what this rank could not do.
Gathered gather(Job& job, const std::stop_token& stop, std::string failure = {});

}  // namespace ranks
}  // namespace dbandit::sim
