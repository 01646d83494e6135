/* Counts the calls of MPI functions of a program in which this library is preloaded, by MPI's profiling interface. It shares nothing
 * with mpiete, whose counts are compared with these. Each process appends lines NAME CALLS to a file of its own in the folder MPI_COUNTS.
 *
 * No MPI header is needed: arguments are integers and addresses, which the calling convention of x86-64 passes on unchanged, as words;
 * a function reads no more of them than it has. MPI_Sendrecv has the most, twelve. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FUNCTIONS(F) \
    F(Init) F(Init_thread) F(Finalize) F(Send) F(Bsend) F(Ssend) F(Rsend) F(Isend) F(Ibsend) F(Issend) F(Irsend) F(Recv) \
    F(Irecv) F(Sendrecv) F(Sendrecv_replace) F(Wait) F(Waitall) F(Waitany) F(Waitsome) F(Probe) F(Start) F(Startall) \
    F(Barrier) F(Bcast) F(Reduce) F(Allreduce) F(Gather) F(Gatherv) F(Scatter) F(Scatterv) F(Allgather) F(Allgatherv) \
    F(Alltoall) F(Alltoallv) F(Reduce_scatter) F(Reduce_scatter_block) F(Scan) F(Exscan) F(Ibarrier) F(Ibcast) F(Ireduce) \
    F(Iallreduce) F(Igather) F(Iscatter) F(Iallgather) F(Ialltoall) F(Ialltoallv)

#define COUNTED(name) \
    static unsigned long calls_of_##name; \
    int PMPI_##name(long, long, long, long, long, long, long, long, long, long, long, long); \
    int MPI_##name(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l) \
    { \
        calls_of_##name++; \
        return PMPI_##name(a, b, c, d, e, f, g, h, i, j, k, l); \
    }

FUNCTIONS(COUNTED)

#define WRITTEN(name) \
    if (calls_of_##name) \
        fprintf(file, "MPI_%s %lu\n", #name, calls_of_##name);

__attribute__((destructor)) static void write_counts(void)
{
    char path[4096];
    const char *folder = getenv("MPI_COUNTS");
    FILE *file;

    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%ld", folder, (long) getpid());
    file = fopen(path, "a");
    if (!file)
        return;
    FUNCTIONS(WRITTEN)
    fclose(file);
}
