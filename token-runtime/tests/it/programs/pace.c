/* How long a recorded call and a switch of the token take; rank 0 prints nanoseconds. */
#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void mpiete_call_(int *site, int *level);

static void at(int site) {
    int level = 0;
    mpiete_call_(&site, &level);
}

int main(int argc, char **argv) {
    int rank, times = atoi(argv[2]), value = 0, other;
    double data[8] = {0}, start;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = rank ^ 1;
    start = MPI_Wtime();
    for (int i = 0; i < times; i++) {
        if (!strcmp(argv[1], "record")) {
            at(0);
            MPI_Irecv(data, 8, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &request);
            at(1);
            MPI_Send(data, 8, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
            at(2);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            at(3);
            MPI_Allreduce(data, data + 4, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        } else if (rank == 0) {
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    if (rank == 0) printf("%g\n", (MPI_Wtime() - start) / times * 1e9);
    return MPI_Finalize();
}
