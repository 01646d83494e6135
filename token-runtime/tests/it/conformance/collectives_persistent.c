/* Persistent collectives: made once, started again and again, in any order among them. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void say(const char *name, const int *values, int count)
{
    int all[64 * 64];
    MPI_Gather(values, count, MPI_INT, all, count, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; r++) {
        printf("%s: rank %d:", name, r);
        for (int i = 0; i < count; i++)
            printf(" %d", all[r * count + i]);
        printf("\n");
    }
}

static int a[256], b[256];

/* Starts it twice. (MPICH 4.0 moves some data only the first time: they stay the same.) */
static void twice(const char *name, MPI_Request *request, int count)
{
    memset(b, -1, sizeof b);
    for (int round = 0; round < 2; round++) {
        MPI_Start(request);
        MPI_Wait(request, MPI_STATUS_IGNORE);
        say(name, b, count);
    }
    MPI_Request_free(request);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Request request, both[2];
    int counts[64], places[64], bytes[64];
    MPI_Datatype types[64];
    for (int r = 0; r < size; r++) {
        counts[r] = 2;
        places[r] = 2 * r;
        bytes[r] = places[r] * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    for (int i = 0; i < 256; i++)
        a[i] = 100 * rank + i;
    MPI_Barrier_init(comm, info, &request);
    twice("barrier", &request, 1);
    MPI_Bcast_init(rank == 0 ? a : b, 3, MPI_INT, 0, comm, info, &request);
    twice("bcast", &request, 3);
    MPI_Gather_init(rank == 0 ? MPI_IN_PLACE : a, 2, MPI_INT, b, 2, MPI_INT, 0, comm, info, &request);
    twice("gather", &request, 2 * size);
    MPI_Gatherv_init(rank == 0 ? MPI_IN_PLACE : a, 2, MPI_INT, b, counts, places, MPI_INT, 0, comm, info, &request);
    twice("gatherv", &request, 2 * size);
    MPI_Scatter_init(a, 2, MPI_INT, b, 2, MPI_INT, 0, comm, info, &request);
    twice("scatter", &request, 2);
    MPI_Scatterv_init(a, counts, places, MPI_INT, b, 2, MPI_INT, 0, comm, info, &request);
    twice("scatterv", &request, 2);
    MPI_Allgather_init(a, 2, MPI_INT, b, 2, MPI_INT, comm, info, &request);
    twice("allgather", &request, 2 * size);
    MPI_Allgatherv_init(a, 2, MPI_INT, b, counts, places, MPI_INT, comm, info, &request);
    twice("allgatherv", &request, 2 * size);
    MPI_Alltoall_init(a, 2, MPI_INT, b, 2, MPI_INT, comm, info, &request);
    twice("alltoall", &request, 2 * size);
    MPI_Alltoallv_init(a, counts, places, MPI_INT, b, counts, places, MPI_INT, comm, info, &request);
    twice("alltoallv", &request, 2 * size);
    MPI_Alltoallw_init(a, counts, bytes, types, b, counts, bytes, types, comm, info, &request);
    twice("alltoallw", &request, 2 * size);
    MPI_Reduce_init(a, b, 3, MPI_INT, MPI_SUM, 0, comm, info, &request);
    twice("reduce", &request, 3);
    MPI_Allreduce_init(a, b, 3, MPI_INT, MPI_SUM, comm, info, &request);
    twice("allreduce", &request, 3);
    MPI_Reduce_scatter_init(a, b, counts, MPI_INT, MPI_SUM, comm, info, &request);
    twice("reduce_scatter", &request, 2);
    MPI_Reduce_scatter_block_init(a, b, 2, MPI_INT, MPI_SUM, comm, info, &request);
    twice("reduce_scatter_block", &request, 2);
    MPI_Scan_init(a, b, 3, MPI_INT, MPI_SUM, comm, info, &request);
    twice("scan", &request, 3);
    MPI_Exscan_init(a, b, 3, MPI_INT, MPI_SUM, comm, info, &request);
    twice("exscan", &request, 3);

    MPI_Allreduce_init(a, b, 1, MPI_INT, MPI_SUM, comm, info, &both[0]);
    MPI_Bcast_init(a + 1, 1, MPI_INT, size - 1, comm, info, &both[1]);
    a[0] = rank;
    a[1] = rank + 5;
    MPI_Startall(2, both);
    MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
    b[1] = a[1];
    say("two at once", b, 2);
    MPI_Request_free(&both[0]);
    MPI_Request_free(&both[1]);
    MPI_Finalize();
    return 0;
}
