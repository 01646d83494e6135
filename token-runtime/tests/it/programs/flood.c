/* Far more data than the heap holds; with an argument, to a rank that receives when all are sent. */
#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>

#define LENGTH (1 << 16)

int main(int argc, char **argv) {
    static int data[LENGTH];
    int rank, fine = 1, count = argc > 1 ? 100 : 500;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && rank == 1) MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        if (rank == 0) {
            data[0] = i;
            MPI_Send(data, LENGTH, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(data, LENGTH, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fine = fine && data[0] == i;
        }
    }
    if (argc > 1 && rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) printf("fine %d\n", fine);
    return MPI_Finalize();
}
