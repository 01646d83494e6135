/* Records which messages an MPI library sends inside collectives: a shim (shim-mpich.c, shim-open-mpi.c) notes each. Prints, for
 * each collective call, lines
 *     NAME BYTES RANKS ROOT FROM TO LENGTH
 * in the order in which each rank sends. With the argument `nonblocking`, of the nonblocking forms. Run MPICH with
 * MPIR_CVAR_NOLOCAL=1, so that no two ranks share a node, or with MPIR_CVAR_NUM_CLIQUES=N for N nodes with ranks in turns. */
#include "record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int to; long bytes; } Sent;
static Sent sent[1 << 16];
static int count, on, prints;

void note(long elements, MPI_Datatype type, int to, MPI_Comm comm)
{
    int size, rank = to;
    if (!on || to < 0)
        return;
    if (comm != MPI_COMM_WORLD) {
        MPI_Group group, world;
        PMPI_Comm_group(comm, &group);
        PMPI_Comm_group(MPI_COMM_WORLD, &world);
        PMPI_Group_translate_ranks(group, 1, &to, world, &rank);
        PMPI_Group_free(&group);
        PMPI_Group_free(&world);
    }
    PMPI_Type_size(type, &size);
    sent[count].to = rank;
    sent[count++].bytes = elements * size;
}

/* Rank 0 prints for all: lines of several processes may get mixed on their way through the launcher. */
static void print(const char *name, long bytes, int root, int rank, int ranks)
{
    if (!prints)
        return;
    on = 0;
    if (rank != 0) {
        PMPI_Send(sent, count * (int) sizeof *sent, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    } else {
        printf("%s %ld %d %d - - -\n", name, bytes, ranks, root);
        for (int from = 0; from < ranks; from++) {
            if (from > 0) {
                MPI_Status status;
                PMPI_Recv(sent, sizeof sent, MPI_BYTE, from, 0, MPI_COMM_WORLD, &status);
                PMPI_Get_count(&status, MPI_BYTE, &count);
                count /= (int) sizeof *sent;
            }
            for (int i = 0; i < count; i++)
                printf("%s %ld %d %d %d %d %ld\n", name, bytes, ranks, root, from, sent[i].to, sent[i].bytes);
        }
        fflush(stdout);
    }
    PMPI_Barrier(MPI_COMM_WORLD);
    count = 0;
    on = 1;
}

/* Of each nonblocking form. */
static void record_nonblocking(long bytes, char *a, char *b, const int *counts, int rank, int ranks)
{
    int n = bytes / 8, large = bytes > 262144, roots[] = { 0, ranks - 1 };
    MPI_Datatype d = MPI_DOUBLE;
    MPI_Comm w = MPI_COMM_WORLD;
    MPI_Request q;
#define RECORD(NAME, ROOT, CALL) CALL; PMPI_Wait(&q, MPI_STATUS_IGNORE); print(NAME, bytes, ROOT, rank, ranks)
    for (int r = 0; r < 2; r++) {
        RECORD("ibcast", roots[r], MPI_Ibcast(a, n, d, roots[r], w, &q));
        RECORD("ireduce", roots[r], MPI_Ireduce(a, b, n, d, MPI_SUM, roots[r], w, &q));
        if (large)
            continue;
        RECORD("igather", roots[r], MPI_Igather(a, n, d, b, n, d, roots[r], w, &q));
        RECORD("iscatter", roots[r], MPI_Iscatter(a, n, d, b, n, d, roots[r], w, &q));
    }
    RECORD("iallreduce", 0, MPI_Iallreduce(a, b, n, d, MPI_SUM, w, &q));
    if (large)
        return;
    RECORD("iallgather", 0, MPI_Iallgather(a, n, d, b, n, d, w, &q));
    RECORD("ialltoall", 0, MPI_Ialltoall(a, n, d, b, n, d, w, &q));
    RECORD("ireduce_scatter_block", 0, MPI_Ireduce_scatter_block(a, b, n, d, MPI_SUM, w, &q));
    RECORD("ireduce_scatter", 0, MPI_Ireduce_scatter(a, b, counts, d, MPI_SUM, w, &q));
    RECORD("iscan", 0, MPI_Iscan(a, b, n, d, MPI_SUM, w, &q));
    RECORD("iexscan", 0, MPI_Iexscan(a, b, n, d, MPI_SUM, w, &q));
}

/* Of each collective, with the first `lengths` lengths. */
static void record(int lengths, int nonblocking, char *a, char *b, int *counts, int rank, int ranks)
{
    static const long sizes[] = { 8, 64, 256, 1024, 4096, 12288, 16384, 65536, 262144, 1048576 };
    if (nonblocking) {
        MPI_Request q;
        MPI_Ibarrier(MPI_COMM_WORLD, &q);
        PMPI_Wait(&q, MPI_STATUS_IGNORE);
        print("ibarrier", 0, 0, rank, ranks);
    } else {
        MPI_Barrier(MPI_COMM_WORLD);
        print("barrier", 0, 0, rank, ranks);
    }
    for (int i = 0; i < lengths; i++) {
        long bytes = sizes[i];
        int n = bytes / 8, large = bytes > 262144;
        int roots[] = { 0, ranks - 1 };
        MPI_Datatype d = MPI_DOUBLE;
        for (int r = 0; r < ranks; r++)
            counts[r] = n;
        if (nonblocking) {
            record_nonblocking(bytes, a, b, counts, rank, ranks);
            continue;
        }
        for (int r = 0; r < 2; r++) {
            MPI_Bcast(a, n, d, roots[r], MPI_COMM_WORLD);
            print("broadcast", bytes, roots[r], rank, ranks);
            MPI_Reduce(a, b, n, d, MPI_SUM, roots[r], MPI_COMM_WORLD);
            print("reduce", bytes, roots[r], rank, ranks);
            if (large)
                continue;
            MPI_Gather(a, n, d, b, n, d, roots[r], MPI_COMM_WORLD);
            print("gather", bytes, roots[r], rank, ranks);
            MPI_Scatter(a, n, d, b, n, d, roots[r], MPI_COMM_WORLD);
            print("scatter", bytes, roots[r], rank, ranks);
        }
        MPI_Allreduce(a, b, n, d, MPI_SUM, MPI_COMM_WORLD);
        print("allreduce", bytes, 0, rank, ranks);
        if (large)
            continue;
        MPI_Allgather(a, n, d, b, n, d, MPI_COMM_WORLD);
        print("allgather", bytes, 0, rank, ranks);
        MPI_Alltoall(a, n, d, b, n, d, MPI_COMM_WORLD);
        print("alltoall", bytes, 0, rank, ranks);
        MPI_Reduce_scatter_block(a, b, n, d, MPI_SUM, MPI_COMM_WORLD);
        print("reduce-scatter-block", bytes, 0, rank, ranks);
        MPI_Reduce_scatter(a, b, counts, d, MPI_SUM, MPI_COMM_WORLD);
        print("reduce-scatter", bytes, 0, rank, ranks);
        MPI_Scan(a, b, n, d, MPI_SUM, MPI_COMM_WORLD);
        print("scan", bytes, 0, rank, ranks);
        MPI_Exscan(a, b, n, d, MPI_SUM, MPI_COMM_WORLD);
        print("exclusive-scan", bytes, 0, rank, ranks);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int nonblocking = argc > 1 && strcmp(argv[1], "nonblocking") == 0;
    int *counts = calloc(ranks, sizeof *counts);
    char *a = calloc(ranks, 1 << 20), *b = calloc(ranks, 1 << 20);
    start_shim();
    /* Libraries make the communicators of their levels in the first call of each collective. */
    record(1, nonblocking, a, b, counts, rank, ranks);
    PMPI_Barrier(MPI_COMM_WORLD);
    on = prints = 1;
    record(10, nonblocking, a, b, counts, rank, ranks);
    on = 0;
    MPI_Finalize();
    return 0;
}
