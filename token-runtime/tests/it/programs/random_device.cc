// The seed of each rank is its own.
#include "mpi.h"
#include <cstdio>
#include <random>

static const unsigned seed = std::random_device{}();

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank;
    unsigned all[3];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Gather(&seed, 1, MPI_UNSIGNED, all, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    if (rank == 0) std::puts(all[0] != all[1] && all[1] != all[2] ? "different" : "equal");
    MPI_Finalize();
}
