/* Collectives between the two groups of an intercommunicator: the first rank, and all others. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int world, size;

static void say(const char *name, const int *values, int count)
{
    int all[64 * 64];
    MPI_Gather(values, count, MPI_INT, all, count, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; world == 0 && r < size; r++) {
        printf("%s: rank %d:", name, r);
        for (int i = 0; i < count; i++)
            printf(" %d", all[r * count + i]);
        printf("\n");
    }
}

static int a[64], b[64];

static void again(void)
{
    for (int i = 0; i < 64; i++) {
        a[i] = 100 * world + i;
        b[i] = -1;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm local, comm;
    if (size == 1) {
        MPI_Finalize();
        return 0;
    }
    MPI_Request request;
    int second = world > 0, rank, remote, mine;
    MPI_Comm_split(MPI_COMM_WORLD, second, world, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, second ? 0 : 1, 7, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &mine);
    MPI_Comm_remote_size(comm, &remote);
    /* The root is the last rank of the second group, or the only one of the first. */
    int counts[64], places[64], bytes[64];
    MPI_Datatype types[64];
    for (int r = 0; r < 64; r++) {
        counts[r] = 2;
        places[r] = 2 * r;
        bytes[r] = 2 * r * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    MPI_Barrier(comm);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int roots = 0; roots < 2; roots++) {
        int in_group = roots == second, is_root = in_group && rank == mine - 1;
        int root = !in_group ? remote - 1 : is_root ? MPI_ROOT : MPI_PROC_NULL;
#define SHOW(name, call)                                                                                               \
    again();                                                                                                           \
    call;                                                                                                              \
    say(name, b, 2 * size)
        SHOW("bcast", MPI_Bcast(is_root ? a : b, 3, MPI_INT, root, comm));
        SHOW("gather", MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, root, comm));
        SHOW("gatherv", MPI_Gatherv(a, 2, MPI_INT, b, counts, places, MPI_INT, root, comm));
        SHOW("scatter", MPI_Scatter(a, 2, MPI_INT, b, 2, MPI_INT, root, comm));
        SHOW("scatterv", MPI_Scatterv(a, counts, places, MPI_INT, b, 2, MPI_INT, root, comm));
        SHOW("reduce", MPI_Reduce(a, b, 3, MPI_INT, MPI_SUM, root, comm));
    }
    SHOW("allgather", MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, comm));
    SHOW("allgatherv", MPI_Allgatherv(a, 2, MPI_INT, b, counts, places, MPI_INT, comm));
    SHOW("alltoall", MPI_Alltoall(a, 2, MPI_INT, b, 2, MPI_INT, comm));
    SHOW("alltoallv", MPI_Alltoallv(a, counts, places, MPI_INT, b, counts, places, MPI_INT, comm));
    SHOW("alltoallw", MPI_Alltoallw(a, counts, bytes, types, b, counts, bytes, types, comm));
    SHOW("allreduce", MPI_Allreduce(a, b, 3, MPI_INT, MPI_MAX, comm));
    /* Both groups name the same number of elements in all. */
    int share = second ? 1 : size - 1, shares[64];
    for (int r = 0; r < 64; r++)
        shares[r] = share;
    SHOW("reduce_scatter_block", MPI_Reduce_scatter_block(a, b, share, MPI_INT, MPI_SUM, comm));
    SHOW("reduce_scatter", MPI_Reduce_scatter(a, b, shares, MPI_INT, MPI_SUM, comm));
    SHOW("iallreduce", (MPI_Iallreduce(a, b, 3, MPI_INT, MPI_SUM, comm, &request),
                        MPI_Wait(&request, MPI_STATUS_IGNORE)));
    MPI_Comm_free(&comm);
    MPI_Comm_free(&local);
    MPI_Finalize();
    return 0;
}
