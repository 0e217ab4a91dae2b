// All of MPI: a shared module beside the program, loaded under mpirun alone (mpi.cpp), so that neither the program nor the library needs
// MPI.
#include "sim/mpi_module.hpp"

#include <mpi.h>
#include <sched.h>

#include <cstdint>

namespace dbandit::sim {
namespace {

MPI_Win counter;
std::uint64_t* counter_memory = nullptr;
bool has_counter = false;

MpiModule::Place enter(int* argc, char*** argv) {
  MpiModule::Place place;
  int provided = 0;
  MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.size);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place.rank, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &place.ranks_here);
  cpu_set_t set;
  CPU_ZERO(&set);
  static_cast<void>(::sched_getaffinity(0, sizeof set, &set));
  MPI_Allreduce(MPI_IN_PLACE, &set, sizeof set, MPI_BYTE, MPI_BOR, machine);
  place.cores_here = CPU_COUNT(&set);
  MPI_Comm_free(&machine);
  if (place.size == 1) return place;
  MPI_Win_allocate(place.rank == 0 ? sizeof(std::uint64_t) : 0, sizeof(std::uint64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &counter_memory,
                   &counter);
  MPI_Win_lock_all(0, counter);
  has_counter = true;
  return place;
}

void leave() {
  if (has_counter) {
    MPI_Win_unlock_all(counter);
    MPI_Win_free(&counter);
  }
  MPI_Finalize();
}

void abort_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

void send(int to, int tag, const char* bytes, int size) { MPI_Send(bytes, size, MPI_BYTE, to, tag, MPI_COMM_WORLD); }

int waiting(int from, int tag) {
  int there = 0, bytes = -1;
  MPI_Status status;
  MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, &status);
  if (there != 0) MPI_Get_count(&status, MPI_BYTE, &bytes);
  return bytes;
}

void receive(int from, int tag, char* bytes, int size) { MPI_Recv(bytes, size, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

std::uint64_t advance(std::uint64_t by, MPI_Op operation) {
  std::uint64_t before = 0;
  MPI_Fetch_and_op(&by, &before, MPI_UINT64_T, 0, 0, operation, counter);
  MPI_Win_flush(0, counter);
  return before;
}

std::uint64_t add_to_counter(std::uint64_t by) { return advance(by, MPI_SUM); }
std::uint64_t set_counter(std::uint64_t to) { return advance(to, MPI_REPLACE); }
std::uint64_t read_counter() { return advance(0, MPI_NO_OP); }

constexpr MpiModule kModule{.version = MpiModule::kVersion,
                            .enter = enter,
                            .leave = leave,
                            .abort_all = abort_all,
                            .send = send,
                            .waiting = waiting,
                            .receive = receive,
                            .add_to_counter = add_to_counter,
                            .set_counter = set_counter,
                            .read_counter = read_counter};

}  // namespace
}  // namespace dbandit::sim

extern "C" const dbandit::sim::MpiModule* dbandit_mpi_module() { return &dbandit::sim::kModule; }
