/* An original program, without any mark: rows, a pipeline along them, any-source collecting. */
#include "mpi.h"

int main(int argc, char **argv) {
    int rank, ranks, value = 0, where, size;
    MPI_Comm row;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank, &row);
    MPI_Comm_rank(row, &where);
    MPI_Comm_size(row, &size);
    for (int i = 0; i < 20; i++) {
        if (where > 0) MPI_Recv(&value, 1, MPI_INT, where - 1, 2, row, MPI_STATUS_IGNORE);
        if (where < size - 1) MPI_Send(&value, 1, MPI_INT, where + 1, 2, row);
    }
    if (rank == 0)
        for (int i = 1; i < ranks; i++) MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
    else
        MPI_Send(&value, 1, MPI_INT, 0, 4, MPI_COMM_WORLD);
    return MPI_Finalize();
}
