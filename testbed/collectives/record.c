/* Records which messages an MPI library sends inside collectives: a shim (shim-mpich.c, shim-open-mpi.c) notes each. Prints, for
 * each collective call, lines
 *     NAME BYTES RANKS ROOT FROM TO LENGTH
 * in the order in which each rank sends. Run MPICH with MPIR_CVAR_NOLOCAL=1, so that no two ranks share a node. */
#include "record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int to; long bytes; } Sent;
static Sent sent[1 << 16];
static int count, on;

void note(long elements, MPI_Datatype type, int to)
{
    int size;
    if (!on || to < 0)
        return;
    PMPI_Type_size(type, &size);
    sent[count].to = to;
    sent[count++].bytes = elements * size;
}

/* Rank 0 prints for all: lines of several processes may get mixed on their way through the launcher. */
static void print(const char *name, long bytes, int root, int rank, int ranks)
{
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

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long sizes[] = { 8, 64, 256, 1024, 4096, 12288, 16384, 65536, 262144, 1048576 };
    int *counts = calloc(ranks, sizeof *counts);
    char *a = calloc(ranks, 1 << 20), *b = calloc(ranks, 1 << 20);
    start_shim();
    on = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    print("barrier", 0, 0, rank, ranks);
    for (int i = 0; i < (int) (sizeof sizes / sizeof *sizes); i++) {
        long bytes = sizes[i];
        int n = bytes / 8, large = bytes > 262144;
        int roots[] = { 0, ranks - 1 };
        MPI_Datatype d = MPI_DOUBLE;
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
        for (int r = 0; r < ranks; r++)
            counts[r] = n;
        MPI_Reduce_scatter(a, b, counts, d, MPI_SUM, MPI_COMM_WORLD);
        print("reduce-scatter", bytes, 0, rank, ranks);
        MPI_Scan(a, b, n, d, MPI_SUM, MPI_COMM_WORLD);
        print("scan", bytes, 0, rank, ranks);
        MPI_Exscan(a, b, n, d, MPI_SUM, MPI_COMM_WORLD);
        print("exclusive-scan", bytes, 0, rank, ranks);
    }
    on = 0;
    MPI_Finalize();
    return 0;
}
