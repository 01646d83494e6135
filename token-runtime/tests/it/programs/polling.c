/* Rank 0 polls for what never comes: for ever and sleeping in between, or until 30 ms of its own have
   gone by, measured with the clock that its argument names. The others wait. Prints its name first. */
#include "mpi.h"
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static double now(const char *clock) {
    struct timespec precise;
    struct timeval coarse;
    if (!strcmp(clock, "MPI_Wtime")) return MPI_Wtime();
    if (!strcmp(clock, "clock_gettime")) {
        clock_gettime(CLOCK_MONOTONIC, &precise);
        return precise.tv_sec + precise.tv_nsec * 1e-9;
    }
    gettimeofday(&coarse, NULL);
    return coarse.tv_sec + coarse.tv_usec * 1e-6;
}

int main(int argc, char **argv) {
    const char *clock = argv[1];
    int rank, found;
    double start;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("%s\n", argv[0]);
        start = now(clock);
        do {
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
            if (!strcmp(clock, "none")) usleep(1000);
        } while (!strcmp(clock, "none") || now(clock) - start < 0.03);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
