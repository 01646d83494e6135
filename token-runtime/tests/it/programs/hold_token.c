/* Rank 0 keeps the token for ever; each rank leaves a file with its process id. */
#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
    int rank;
    char name[64];
    FILE *file;
    sprintf(name, "part-%s", getenv("MPIETE_RANK"));
    file = fopen(name, "w");
    fprintf(file, "%d", (int)getpid());
    fclose(file);
    rename(name, name + 5);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    while (rank == 0) pause();
    return MPI_Finalize();
}
