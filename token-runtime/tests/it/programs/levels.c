/* In mode record: what arrives of messages at each level of need. */
#include "mpi.h"
#include <stdio.h>

extern void mpiete_call_(int *site, int *level);

static void at(int site, int level) {
    mpiete_call_(&site, &level);
}

int main(int argc, char **argv) {
    int rank, sizes[3], sum = -1, all;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int level = 0; level < 3; level++) {
        int data[4] = {7, 7, 7, 7};
        at(level, level);
        if (rank == 0) {
            data[0] = 5;
            MPI_Send(data, 3, MPI_INT, 1, level, MPI_COMM_WORLD);
        } else {
            MPI_Recv(data, 4, MPI_INT, MPI_ANY_SOURCE, level, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &sizes[level]);
            printf("level %d: %d elements, first %d\n", level, sizes[level], data[0]);
        }
    }
    for (int level = 0; level < 3; level++) {
        at(10 + level, level);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        all = sum;
        if (rank == 1) printf("level %d: sum %d\n", level, all);
    }
    return MPI_Finalize();
}
