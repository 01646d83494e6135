/* Barrier, broadcast, gather, scatter, allgather and alltoall in all forms but the neighbourhood's. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* Prints numbers of every rank, in rank order. */
static void say(const char *name, const int *values, int count)
{
    for (int turn = 0; turn < size; turn++) {
        int mine[256], got[256], n = count;
        memset(mine, 0, sizeof mine);
        memcpy(mine, values, sizeof(int) * count);
        if (turn == 0) {
            memcpy(got, mine, sizeof got);
        } else if (rank == turn) {
            MPI_Send(&n, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
            MPI_Send(mine, 256, MPI_INT, 0, 2, MPI_COMM_WORLD);
        } else if (rank == 0) {
            MPI_Recv(&n, 1, MPI_INT, turn, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(got, 256, MPI_INT, turn, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (rank == 0) {
            printf("%s: rank %d:", name, turn);
            for (int i = 0; i < n; i++)
                printf(" %d", got[i]);
            printf("\n");
        }
    }
}

static void clear(int *a, int n)
{
    for (int i = 0; i < n; i++)
        a[i] = -1;
}

static void wait_for(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Request request;
    int *a = calloc(16 * size + 16, sizeof(int)), *b = calloc(16 * size + 16, sizeof(int));
    int n = 4 * size + 8;
    int last = size - 1;

    MPI_Barrier(comm);
    MPI_Ibarrier(comm, &request);
    wait_for(&request);

    for (int root = 0; root < size; root++) {
        for (int i = 0; i < 4; i++)
            a[i] = rank == root ? 100 * root + i : -1;
        MPI_Bcast(a, 4, MPI_INT, root, comm);
        say("bcast", a, 4);
        for (int i = 0; i < 4; i++)
            a[i] = rank == root ? 200 * root + i : -1;
        MPI_Ibcast(a, 4, MPI_INT, root, comm, &request);
        wait_for(&request);
        say("ibcast", a, 4);
    }

    /* A column of a matrix on the root, rows elsewhere. */
    MPI_Datatype column;
    MPI_Type_vector(3, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < 12; i++)
        a[i] = rank == last ? i : -1;
    if (rank == last)
        MPI_Bcast(a + 1, 1, column, last, comm);
    else
        MPI_Bcast(a, 3, MPI_INT, last, comm);
    say("bcast of a column", a, 12);

    for (int blocking = 0; blocking < 2; blocking++) {
        int mine[2] = {rank * 10, rank * 10 + 1};
        clear(b, n);
        if (blocking) {
            MPI_Gather(mine, 2, MPI_INT, b, 2, MPI_INT, last, comm);
        } else {
            MPI_Igather(mine, 2, MPI_INT, b, 2, MPI_INT, last, comm, &request);
            wait_for(&request);
        }
        say("gather", b, 2 * size);

        clear(b, n);
        b[2 * rank] = mine[0];
        b[2 * rank + 1] = mine[1];
        if (blocking) {
            MPI_Gather(rank == 0 ? MPI_IN_PLACE : mine, 2, MPI_INT, b, 2, MPI_INT, 0, comm);
        } else {
            MPI_Igather(rank == 0 ? MPI_IN_PLACE : mine, 2, MPI_INT, b, 2, MPI_INT, 0, comm, &request);
            wait_for(&request);
        }
        say("gather in place", b, 2 * size);

        /* Rank r gives r + 1 numbers, which are put down in reverse order of ranks. */
        int counts[64], places[64], at = 0;
        for (int r = size - 1; r >= 0; r--) {
            counts[r] = r + 1;
            places[r] = at;
            at += r + 2;
        }
        int some[64];
        for (int i = 0; i <= rank; i++)
            some[i] = 100 * rank + i;
        clear(b, at);
        if (blocking) {
            MPI_Gatherv(some, rank + 1, MPI_INT, b, counts, places, MPI_INT, 0, comm);
        } else {
            MPI_Igatherv(some, rank + 1, MPI_INT, b, counts, places, MPI_INT, 0, comm, &request);
            wait_for(&request);
        }
        say("gatherv", b, at);

        clear(b, at);
        if (blocking) {
            MPI_Allgatherv(some, rank + 1, MPI_INT, b, counts, places, MPI_INT, comm);
        } else {
            MPI_Iallgatherv(some, rank + 1, MPI_INT, b, counts, places, MPI_INT, comm, &request);
            wait_for(&request);
        }
        say("allgatherv", b, at);

        clear(b, at);
        memcpy(b + places[rank], some, sizeof(int) * (rank + 1));
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, places, MPI_INT, comm);
        say("allgatherv in place", b, at);

        for (int i = 0; i < at; i++)
            a[i] = rank == last ? 1000 + i : -1;
        clear(b, n);
        if (blocking) {
            MPI_Scatterv(a, counts, places, MPI_INT, b, rank + 1, MPI_INT, last, comm);
        } else {
            MPI_Iscatterv(a, counts, places, MPI_INT, b, rank + 1, MPI_INT, last, comm, &request);
            wait_for(&request);
        }
        say("scatterv", b, rank + 1);

        for (int i = 0; i < 2 * size; i++)
            a[i] = rank == 0 ? 500 + i : -1;
        clear(b, n);
        if (blocking) {
            MPI_Scatter(a, 2, MPI_INT, rank == 0 ? MPI_IN_PLACE : b, 2, MPI_INT, 0, comm);
        } else {
            MPI_Iscatter(a, 2, MPI_INT, b, 2, MPI_INT, 0, comm, &request);
            wait_for(&request);
        }
        say("scatter", b, 2);

        clear(b, n);
        if (blocking) {
            MPI_Allgather(mine, 2, MPI_INT, b, 2, MPI_INT, comm);
        } else {
            MPI_Iallgather(mine, 2, MPI_INT, b, 2, MPI_INT, comm, &request);
            wait_for(&request);
        }
        say("allgather", b, 2 * size);
        clear(b, n);
        b[rank] = rank + 7;
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 1, MPI_INT, comm);
        say("allgather in place", b, size);

        for (int i = 0; i < 2 * size; i++)
            a[i] = 100 * rank + i;
        clear(b, n);
        if (blocking) {
            MPI_Alltoall(a, 2, MPI_INT, b, 2, MPI_INT, comm);
        } else {
            MPI_Ialltoall(a, 2, MPI_INT, b, 2, MPI_INT, comm, &request);
            wait_for(&request);
        }
        say("alltoall", b, 2 * size);
        if (blocking) {
            MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 2, MPI_INT, comm);
        } else {
            MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 2, MPI_INT, comm, &request);
            wait_for(&request);
        }
        say("alltoall in place", a, 2 * size);

        /* Rank r sends (r + s) % 3 numbers to rank s. */
        int sent[64], sent_at[64], got[64], got_at[64], send_at = 0, get_at = 0;
        for (int r = 0; r < size; r++) {
            sent[r] = (rank + r) % 3;
            got[r] = (rank + r) % 3;
            sent_at[r] = send_at;
            got_at[r] = get_at;
            send_at += sent[r];
            get_at += got[r] + 1;
        }
        for (int i = 0; i < send_at; i++)
            a[i] = 100 * rank + i;
        clear(b, get_at);
        if (blocking) {
            MPI_Alltoallv(a, sent, sent_at, MPI_INT, b, got, got_at, MPI_INT, comm);
        } else {
            MPI_Ialltoallv(a, sent, sent_at, MPI_INT, b, got, got_at, MPI_INT, comm, &request);
            wait_for(&request);
        }
        say("alltoallv", b, get_at);
        MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, b, got, got_at, MPI_INT, comm);
        say("alltoallv in place", b, get_at);

        /* As columns to even ranks, as numbers to odd ones. */
        MPI_Datatype types[64], numbers[64];
        int bytes[64], one[64], three[64], to[64];
        for (int r = 0; r < size; r++) {
            types[r] = r % 2 == 0 ? column : MPI_INT;
            one[r] = r % 2 == 0 ? 1 : 3;
            bytes[r] = r % 4 * (int)sizeof(int);
            numbers[r] = MPI_INT;
            three[r] = 3;
            to[r] = 3 * r * (int)sizeof(int);
        }
        for (int i = 0; i < 16; i++)
            a[i] = 100 * rank + i;
        clear(b, n);
        if (blocking) {
            MPI_Alltoallw(a, one, bytes, types, b, three, to, numbers, comm);
        } else {
            MPI_Ialltoallw(a, one, bytes, types, b, three, to, numbers, comm, &request);
            wait_for(&request);
        }
        say("alltoallw", b, 3 * size);
    }

    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
