/* times REPETITIONS BYTES...   how long collectives take from a common start, by MPI_COMM_WORLD
 * Prints, for each collective and length, a line
 *     TIME NAME RANKS BYTES MEDIAN MINIMUM MAXIMUM
 * in seconds: of each repetition, the time of the slowest rank; the root is rank 0. Before each repetition all ranks meet
 * in a barrier and sleep until a time that rank 0 names, on a clock that they share (one machine). */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int rank, ranks;
static char *a, *b;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void common_start(void)
{
    double at = now() + 0.02;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(&at, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    at += 0.02;
    struct timespec t = { (time_t) at, (long) (1e9 * (at - (double) (time_t) at)) };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
        ;
}

static void barrier(int n) { (void) n; MPI_Barrier(MPI_COMM_WORLD); }
static void broadcast(int n) { MPI_Bcast(a, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void reduce(int n) { MPI_Reduce(a, b, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD); }
static void allreduce(int n) { MPI_Allreduce(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void gather(int n) { MPI_Gather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void scatter(int n) { MPI_Scatter(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, 0, MPI_COMM_WORLD); }
static void allgather(int n) { MPI_Allgather(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); }
static void alltoall(int n) { MPI_Alltoall(a, n, MPI_DOUBLE, b, n, MPI_DOUBLE, MPI_COMM_WORLD); }
static void reduce_scatter(int n) { MPI_Reduce_scatter_block(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }
static void scan(int n) { MPI_Scan(a, b, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); }

static const struct { const char *name; void (*call)(int); } COLLECTIVES[] = {
    { "barrier", barrier }, { "broadcast", broadcast }, { "reduce", reduce }, { "allreduce", allreduce },
    { "gather", gather }, { "scatter", scatter }, { "allgather", allgather }, { "alltoall", alltoall },
    { "reduce-scatter-block", reduce_scatter }, { "scan", scan },
};

static int ascending(const void *x, const void *y)
{
    double one = *(const double *) x, other = *(const double *) y;
    return (one > other) - (one < other);
}

static void measure(int which, int bytes, int repetitions)
{
    double *times = calloc(repetitions, sizeof *times);
    /* The first is not counted: connections are made, and memory is touched. */
    for (int i = -1; i < repetitions; i++) {
        common_start();
        double start = now();
        COLLECTIVES[which].call(bytes / 8);
        double own = now() - start, slowest;
        MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (i >= 0)
            times[i] = slowest;
    }
    if (rank == 0) {
        qsort(times, repetitions, sizeof *times, ascending);
        printf("TIME %s %d %d %.7f %.7f %.7f\n", COLLECTIVES[which].name, ranks, bytes, times[repetitions / 2], times[0],
               times[repetitions - 1]);
        fflush(stdout);
    }
    free(times);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int repetitions = argc > 1 ? atoi(argv[1]) : 0, longest = 8;
    if (repetitions < 1 || argc < 3) {
        if (rank == 0)
            fprintf(stderr, "times: expected REPETITIONS BYTES...\n");
        MPI_Finalize();
        return 2;
    }
    for (int i = 2; i < argc; i++)
        longest = atoi(argv[i]) > longest ? atoi(argv[i]) : longest;
    a = calloc(ranks, longest);
    b = calloc(ranks, longest);
    for (int which = 0; which < (int) (sizeof COLLECTIVES / sizeof *COLLECTIVES); which++) {
        if (which == 0)
            measure(which, 0, repetitions);
        else
            for (int i = 2; i < argc; i++)
                measure(which, atoi(argv[i]), repetitions);
    }
    MPI_Finalize();
    return 0;
}
