/* Neighbourhood collectives on a ring, on a grid with edges, and on a graph with edges of its own. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void say(const char *name, const char *where, const int *values, int count)
{
    int all[64 * 64];
    MPI_Gather(values, count, MPI_INT, all, count, MPI_INT, 0, MPI_COMM_WORLD);
    for (int r = 0; rank == 0 && r < size; r++) {
        printf("%s on %s: rank %d:", name, where, r);
        for (int i = 0; i < count; i++)
            printf(" %d", all[r * count + i]);
        printf("\n");
    }
}

static int a[64], b[64];

static void again(void)
{
    for (int i = 0; i < 64; i++) {
        a[i] = 100 * rank + i;
        b[i] = -1;
    }
}

static void all_forms(const char *where, MPI_Comm comm, int in)
{
    int counts[16], places[16], sent[16];
    MPI_Aint bytes[16];
    MPI_Datatype types[16];
    MPI_Request request;
    for (int i = 0; i < 16; i++) {
        counts[i] = 2;
        sent[i] = 2;
        places[i] = 2 * i;
        bytes[i] = places[i] * (MPI_Aint)sizeof(int);
        types[i] = MPI_INT;
    }
#define FORMS(name, blocking, starting, making)                                                                        \
    again();                                                                                                           \
    blocking;                                                                                                          \
    say(name, where, b, 2 * in);                                                                                       \
    again();                                                                                                           \
    starting;                                                                                                          \
    MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                             \
    say("i" name, where, b, 2 * in);                                                                                   \
    making;                                                                                                            \
    for (int round = 0; round < 2; round++) {                                                                          \
        again();                                                                                                       \
        MPI_Start(&request);                                                                                           \
        MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                         \
        say(name "_init", where, b, 2 * in);                                                                           \
    }                                                                                                                  \
    MPI_Request_free(&request)
    FORMS("neighbor_allgather", MPI_Neighbor_allgather(a, 2, MPI_INT, b, 2, MPI_INT, comm),
          MPI_Ineighbor_allgather(a, 2, MPI_INT, b, 2, MPI_INT, comm, &request),
          MPI_Neighbor_allgather_init(a, 2, MPI_INT, b, 2, MPI_INT, comm, MPI_INFO_NULL, &request));
    FORMS("neighbor_allgatherv", MPI_Neighbor_allgatherv(a, 2, MPI_INT, b, counts, places, MPI_INT, comm),
          MPI_Ineighbor_allgatherv(a, 2, MPI_INT, b, counts, places, MPI_INT, comm, &request),
          MPI_Neighbor_allgatherv_init(a, 2, MPI_INT, b, counts, places, MPI_INT, comm, MPI_INFO_NULL, &request));
    FORMS("neighbor_alltoall", MPI_Neighbor_alltoall(a, 2, MPI_INT, b, 2, MPI_INT, comm),
          MPI_Ineighbor_alltoall(a, 2, MPI_INT, b, 2, MPI_INT, comm, &request),
          MPI_Neighbor_alltoall_init(a, 2, MPI_INT, b, 2, MPI_INT, comm, MPI_INFO_NULL, &request));
    /* Where both neighbours are one rank, MPICH 4.0 mixes up the sides in these. */
    if (size <= 2 && where[2] == 'r')
        return;
    FORMS("neighbor_alltoallv",
          MPI_Neighbor_alltoallv(a, sent, places, MPI_INT, b, counts, places, MPI_INT, comm),
          MPI_Ineighbor_alltoallv(a, sent, places, MPI_INT, b, counts, places, MPI_INT, comm, &request),
          MPI_Neighbor_alltoallv_init(a, sent, places, MPI_INT, b, counts, places, MPI_INT, comm, MPI_INFO_NULL,
                                      &request));
    FORMS("neighbor_alltoallw", MPI_Neighbor_alltoallw(a, sent, bytes, types, b, counts, bytes, types, comm),
          MPI_Ineighbor_alltoallw(a, sent, bytes, types, b, counts, bytes, types, comm, &request),
          MPI_Neighbor_alltoallw_init(a, sent, bytes, types, b, counts, bytes, types, comm, MPI_INFO_NULL, &request));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm;
    int periodic[2] = {1, 0}, dims[2] = {size, 1};
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 0, &comm);
    all_forms("a ring", comm, 2);
    MPI_Comm_free(&comm);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, (int[]){0, 0}, 0, &comm);
    all_forms("a grid with edges", comm, 4);
    MPI_Comm_free(&comm);
    /* Everybody sends to rank 0, which sends to itself. */
    int root = 0, everybody[64];
    for (int r = 0; r < size; r++)
        everybody[r] = r;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 0 ? size : 0, everybody, MPI_UNWEIGHTED, 1, &root,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
    all_forms("a star", comm, size);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
