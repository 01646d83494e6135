/* bench.h: what the measuring programs share: one clock, common starts, medians, sleeping as computing.
 * All hosts of the testbed are one kernel, so CLOCK_MONOTONIC is one clock for all ranks. */
#ifndef BENCH_H
#define BENCH_H
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Time for a barrier's stragglers to reach a common start, beside what the barrier itself took. */
#define START_AHEAD 0.05

static inline double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static inline void sleep_until(double when)
{
    struct timespec t = { (time_t)when, (long)((when - (time_t)when) * 1e9) };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) ;
}

static inline double reduce(double x, MPI_Op op)
{
    double result;
    MPI_Allreduce(&x, &result, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    return result;
}

/* Rank 0 names a moment and everyone sleeps until it: the same start on all ranks. */
static inline double common_start(void)
{
    double start;
    MPI_Barrier(MPI_COMM_WORLD);
    start = now();
    MPI_Barrier(MPI_COMM_WORLD);
    start = now() + START_AHEAD + 2 * (now() - start);
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (now() > start) { fprintf(stderr, "a rank came too late to a common start\n"); MPI_Abort(MPI_COMM_WORLD, 1); }
    sleep_until(start);
    return start;
}

static inline int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts: afterwards v[0] is the minimum and v[n-1] the maximum. */
static inline double median(double *v, int n)
{
    qsort(v, n, sizeof *v, ascending);
    return n % 2 ? v[n / 2] : 0.5 * (v[n / 2 - 1] + v[n / 2]);
}

/* Sorts and prints the end of a RESULT line. */
static inline void print_times(double *v, int n)
{
    double m = median(v, n);
    printf(" median=%.7f min=%.7f max=%.7f", m, v[0], v[n - 1]);
}

/* Room that has been written to, so that no page is touched for the first time while the clock runs. */
static inline char *room(size_t bytes)
{
    char *r = malloc(bytes + 1);
    if (!r) { perror("malloc"); MPI_Abort(MPI_COMM_WORLD, 1); }
    return memset(r, 1, bytes + 1);
}

static inline int usage(const char *text)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) fprintf(stderr, "usage: %s\n", text);
    return MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Computing is represented by sleeping: many ranks compute at once on few processors.
 * The sleeps' true lengths are kept and are part of the result. */
static struct { double seconds, longest; long count; } computed;

static inline void compute(double seconds)
{
    double begin = now(), took;
    if (seconds <= 0) return;
    sleep_until(begin + seconds);
    took = now() - begin;
    computed.seconds += took;
    computed.count++;
    if (took > computed.longest) computed.longest = took;
}

#endif
