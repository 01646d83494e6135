/* A rank starts itself or the program in its second argument, before MPI_Init or after it, as its first argument says. */
#include "mpi.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    int rank, ranks, turn, code = 0;
    char command[4096];
    const char *when = argv[1];
    snprintf(command, sizeof command, argc > 2 ? "%s" : "%s child", argv[argc > 2 ? 2 : 0]);
    if (!strcmp(when, "before")) code = system(command);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (turn = 0; turn < ranks; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn != rank) continue;
        if (!strcmp(when, "after")) code = system(command);
        if (code) return 3;
        printf("%s: %d of %d\n", when, rank, ranks);
        fflush(stdout);
    }
    return MPI_Finalize();
}
