/* Prints before MPI_Init, within MPI and after MPI_Finalize, and ends without writing what the C library has kept. Its second
   argument is a file for its output. */
#include "mpi.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank, ranks, value = 0;
    if (argc > 2) freopen(argv[2], "a", stdout);
    printf("before\n");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    printf("within\n");
    if (!strcmp(argv[1], "waits"))
        MPI_Recv(&value, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    printf("after");
    _exit(0);
}
