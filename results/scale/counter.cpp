// How long one fetch-and-add on rank 0's counter takes, all ranks at it at once, as sim/mpi.cpp does it.
//   mpicxx -O2 counter.cpp -o counter && mpirun -n 2 ./counter
#include <mpi.h>

#include <cstdint>
#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win window;
  std::uint64_t* memory = nullptr;
  MPI_Win_allocate(rank == 0 ? sizeof *memory : 0, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::uint64_t most = 2000000, one = 1;
  std::uint64_t before = 0;
  const double start = MPI_Wtime();
  while (before < most) {
    MPI_Fetch_and_op(&one, &before, MPI_UINT64_T, 0, 0, MPI_SUM, window);
    MPI_Win_flush(0, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::printf("%.3g\n", (MPI_Wtime() - start) / most);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
}
