/* The end that MPI_Init and MPI_Abort know: the program aborts only if an argument requests it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    if (argc > 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    printf("not aborted\n");
    MPI_Finalize();
    return 0;
}
