/* Every function that is observed, once at least, on two ranks. Every wait has one outcome: what is
 * tested is known to be there. calls.f90 and calls_f08.f90 make the same calls. */
#include <mpi.h>
#include <stdlib.h>

static int rank, other;
static double from[64], to[64];

static void check(int good)
{
    if (!good) MPI_Abort(MPI_COMM_WORLD, 99);
}

/* A receive whose message is here already. */
static MPI_Request here(int tag, MPI_Request *sent)
{
    MPI_Request received;
    MPI_Isend(from, 1, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, sent);
    MPI_Probe(other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(to, 1, MPI_DOUBLE, other, tag, MPI_COMM_WORLD, &received);
    return received;
}

static void modes(void)
{
    static char room[4096];
    int size = sizeof room;
    void *place = room;
    MPI_Request r[2];
    MPI_Irecv(to, 3, MPI_DOUBLE, other, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(from, 3, MPI_DOUBLE, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Irecv(to, 4, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, &r[0]);
    MPI_Issend(from, 4, MPI_DOUBLE, other, 2, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Buffer_attach(room, size);
    MPI_Bsend(from, 5, MPI_DOUBLE, other, 3, MPI_COMM_WORLD);
    MPI_Recv(to, 5, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(to, 6, MPI_DOUBLE, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &r[0]);
    MPI_Ibsend(from, 6, MPI_DOUBLE, other, 4, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Buffer_detach(&place, &size);
    MPI_Irecv(to, 7, MPI_DOUBLE, other, 5, MPI_COMM_WORLD, &r[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Irsend(from, 7, MPI_DOUBLE, other, 5, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    if (rank == 0) MPI_Ssend(from, 8, MPI_DOUBLE, 1, 6, MPI_COMM_WORLD);
    else MPI_Recv(to, 8, MPI_DOUBLE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(from, 9, MPI_DOUBLE, MPI_PROC_NULL, 7, MPI_COMM_WORLD);
    MPI_Recv(to, 9, MPI_DOUBLE, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchanges(void)
{
    int flag;
    MPI_Request sent;
    MPI_Status status;
    MPI_Sendrecv(from, 3, MPI_DOUBLE, other, 10, to, 6, MPI_DOUBLE, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &status);
    check(status.MPI_SOURCE == other && status.MPI_TAG == 10);
    MPI_Sendrecv_replace(from, 2, MPI_DOUBLE, other, 11, other, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(from, 1, MPI_DOUBLE, other, 12, MPI_COMM_WORLD, &sent);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(other, 12, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    check(flag);
    MPI_Recv(to, 1, MPI_DOUBLE, other, 12, MPI_COMM_WORLD, &status);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
}

static void completions(void)
{
    int flag, index, indices[2], count;
    MPI_Request r[2], sent;
    r[0] = here(20, &sent);
    MPI_Test(&r[0], &flag, MPI_STATUS_IGNORE);
    check(flag);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    r[0] = MPI_REQUEST_NULL;
    r[1] = here(21, &sent);
    MPI_Waitany(2, r, &index, MPI_STATUS_IGNORE);
    check(index == 1);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    r[0] = here(22, &sent);
    MPI_Waitsome(2, r, &count, indices, MPI_STATUSES_IGNORE);
    check(count == 1 && indices[0] == 0);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    r[1] = here(23, &sent);
    MPI_Testall(2, r, &flag, MPI_STATUSES_IGNORE);
    check(flag);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    r[1] = here(24, &sent);
    MPI_Testany(2, r, &index, &flag, MPI_STATUS_IGNORE);
    check(flag && index == 1);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    r[0] = here(25, &sent);
    MPI_Testsome(2, r, &count, indices, MPI_STATUSES_IGNORE);
    check(count == 1 && indices[0] == 0);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Testany(2, r, &index, &flag, MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Request r[2];
    MPI_Send_init(from, 3, MPI_DOUBLE, other, 30, MPI_COMM_WORLD, &r[0]);
    MPI_Recv_init(to, 3, MPI_DOUBLE, MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, &r[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
    MPI_Recv_init(to, 3, MPI_DOUBLE, other, 31, MPI_COMM_WORLD, &r[0]);
    MPI_Ssend_init(from, 3, MPI_DOUBLE, other, 31, MPI_COMM_WORLD, &r[1]);
    MPI_Start(&r[0]);
    MPI_Start(&r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    MPI_Request_free(&r[0]);
    MPI_Request_free(&r[1]);
}

static void add(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)datatype;
    for (int i = 0; i < *length; i++) ((double *)inout)[i] += ((double *)in)[i];
}

static void collectives(void)
{
    int counts[2] = {1, 3}, places[2] = {0, 1}, pair[2] = {0, 0}, best[2];
    MPI_Op own;
    MPI_Bcast(from, 4, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Reduce(from, to, 5, MPI_DOUBLE, MPI_MAX, 1, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, to, 6, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(pair, best, 1, MPI_2INT, MPI_MAXLOC, MPI_COMM_WORLD);
    MPI_Op_create(add, 0, &own);
    MPI_Allreduce(from, to, 2, MPI_DOUBLE, own, MPI_COMM_WORLD);
    MPI_Op_free(&own);
    MPI_Gather(from, 2, MPI_DOUBLE, to, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gatherv(from, counts[rank], MPI_DOUBLE, to, counts, places, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Scatter(from, 3, MPI_DOUBLE, to, 3, MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Scatterv(from, counts, places, MPI_DOUBLE, to, counts[rank], MPI_DOUBLE, 1, MPI_COMM_WORLD);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, 4, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allgatherv(from, counts[rank], MPI_DOUBLE, to, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, counts, places, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Alltoall(from, 5, MPI_DOUBLE, to, 5, MPI_DOUBLE, MPI_COMM_WORLD);
    int mine[2] = {counts[rank], counts[rank]}, apart[2] = {0, 8};
    MPI_Alltoallv(from, counts, places, MPI_DOUBLE, to, mine, apart, MPI_DOUBLE, MPI_COMM_WORLD);
    MPI_Reduce_scatter(from, to, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(from, to, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Scan(from, to, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(from, to, 3, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
}

static void nonblocking(void)
{
    int counts[2] = {2, 1}, places[2] = {0, 2};
    MPI_Request r[3];
    MPI_Ibarrier(MPI_COMM_WORLD, &r[0]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Ibcast(from, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Iallreduce(from, to, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r[1]);
    MPI_Iallgatherv(from, counts[rank], MPI_DOUBLE, to + 16, counts, places, MPI_DOUBLE, MPI_COMM_WORLD, &r[2]);
    MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
}

static void communicators(void)
{
    int two[1] = {2}, one[1] = {1}, last[1] = {1};
    MPI_Comm made, part;
    MPI_Group all, some;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_split(made, 0, -rank, &part);
    MPI_Bcast(from, 1, MPI_DOUBLE, 0, part);
    MPI_Comm_free(&part);
    MPI_Comm_split(made, rank ? MPI_UNDEFINED : 5, 0, &part);
    if (rank == 0) MPI_Barrier(part), MPI_Comm_free(&part);
    MPI_Comm_free(&made);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, last, &some);
    MPI_Comm_create(MPI_COMM_WORLD, some, &made);
    if (rank == 1) MPI_Barrier(made), MPI_Comm_free(&made);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    MPI_Cart_create(MPI_COMM_WORLD, 1, two, one, 0, &made);
    MPI_Cart_sub(made, one, &part);
    MPI_Barrier(part);
    MPI_Comm_free(&part);
    MPI_Comm_free(&made);
    MPI_Barrier(MPI_COMM_SELF);
}

static void datatypes(void)
{
    MPI_Datatype column, row;
    for (int i = 0; i < 2; i++) {
        MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &column);
        MPI_Type_commit(&column);
        MPI_Sendrecv(from, 1, column, 0, 40, to, 1, column, 0, 40, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Type_free(&column);
        MPI_Type_contiguous(5, MPI_INT, &row);
        MPI_Type_commit(&row);
        MPI_Sendrecv(from, 2, row, 0, 41, to, 2, row, 0, 41, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Type_free(&row);
    }
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    other = 1 - rank;
    double begin = MPI_Wtime();
    modes();
    exchanges();
    completions();
    persistent();
    collectives();
    nonblocking();
    communicators();
    datatypes();
    check(MPI_Wtime() >= begin);
    MPI_Finalize();
    return 0;
}
