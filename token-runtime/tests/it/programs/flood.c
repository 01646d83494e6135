/* Far more data than the heap holds, to a rank that receives in the opposite order of time. */
#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>

#define LENGTH (1 << 16)

int main(int argc, char **argv) {
    static int data[LENGTH];
    int rank, fine = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 500; i++) {
        if (rank == 0) {
            data[0] = i;
            MPI_Send(data, LENGTH, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(data, LENGTH, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fine = fine && data[0] == i;
        }
    }
    if (rank == 1) printf("fine %d\n", fine);
    return MPI_Finalize();
}
