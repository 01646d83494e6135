/* Every function of MPI in which a rank may wait for others, its results and statuses checked by the
 * program. With the argument "more" also errors, and looking again and again until something is
 * there: how often is chance. Two ranks or more. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, LONG = 1 << 18 };
static int rank, size;

#define IS(what) \
    do { if (!(what)) { printf("rank %d, line %d: not so: %s\n", rank, __LINE__, #what); fflush(stdout); MPI_Abort(MPI_COMM_WORLD, 3); } } while (0)

static int from(const MPI_Status *status, int source, int tag, int elements)
{
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    return status->MPI_SOURCE == source && status->MPI_TAG == tag && count == elements;
}

/* Rank 0 and 1; what each mode of sending needs of the receiver is given. */
static void modes(void)
{
    static char room[1 << 12];
    int word = 7, got = 0, two[2];
    MPI_Status status;
    MPI_Request request;
    if (rank == 0) {
        MPI_Send(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Ssend(&word, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        MPI_Recv(&got, 0, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Rsend(&word, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
        int bytes = sizeof room;
        void *back;
        MPI_Buffer_attach(room, bytes);
        MPI_Bsend(&word, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
        MPI_Buffer_detach(&back, &bytes);
        MPI_Send(&word, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
        IS(got == 7 && from(&status, 0, 1, 1));
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        IS(from(&status, 0, 2, 1));
        MPI_Recv(two, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        IS(two[0] == 7 && from(&status, 0, 2, 1));
        MPI_Irecv(&got, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
        MPI_Send(&word, 0, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Wait(&request, &status);
        IS(request == MPI_REQUEST_NULL && from(&status, 0, 4, 1));
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &status);
        IS(from(&status, MPI_PROC_NULL, MPI_ANY_TAG, 0));
    }
}

/* Round the ring, with messages that no library keeps for later, and to itself. */
static void exchanges(void)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    int *mine = malloc(LONG * sizeof *mine), *theirs = malloc(LONG * sizeof *theirs);
    MPI_Status status;
    MPI_Request request;
    for (int i = 0; i < LONG; i++) mine[i] = rank + i;
    MPI_Sendrecv(mine, LONG, MPI_INT, next, 1, theirs, LONG, MPI_INT, last, 1, MPI_COMM_WORLD, &status);
    IS(theirs[LONG - 1] == last + LONG - 1 && from(&status, last, 1, LONG));
    MPI_Sendrecv(mine, 1, MPI_INT, rank, 8, theirs, 9, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &status);
    IS(theirs[0] == rank && from(&status, rank, 8, 1));
    int down = rank > 0 ? rank - 1 : MPI_PROC_NULL, up = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Sendrecv(mine, 1, MPI_INT, up, 9, theirs, 1, MPI_INT, down, 9, MPI_COMM_WORLD, &status);
    IS(down == MPI_PROC_NULL ? from(&status, down, MPI_ANY_TAG, 0) : from(&status, down, 9, 1));
    MPI_Sendrecv_replace(mine, 3, MPI_INT, next, 3, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    IS(mine[2] == last + 2);
    MPI_Irecv(theirs, LONG, MPI_INT, rank, 4, MPI_COMM_WORLD, &request);
    MPI_Send(mine, LONG, MPI_INT, rank, 4, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    IS(theirs[1] == last + 1 && from(&status, rank, 4, LONG));
    if (rank % 2) MPI_Recv(theirs, LONG, MPI_INT, last, 5, MPI_COMM_WORLD, &status);
    if (rank % 2 == 0 && next % 2) MPI_Send(mine, LONG, MPI_INT, next, 5, MPI_COMM_WORLD);
    free(mine), free(theirs);
}

/* Requests in arrays, with holes, persistent ones, and calls that complete some of them. */
static void requests(void)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size, word = rank, got[3] = {-1, -1, -1};
    int which, number, indices[4];
    MPI_Request all[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[4];
    MPI_Irecv(&got[0], 1, MPI_INT, last, 1, MPI_COMM_WORLD, &all[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &all[2]);
    MPI_Isend(&word, 1, MPI_INT, next, 2, MPI_COMM_WORLD, &all[3]);
    MPI_Send(&word, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
    MPI_Waitall(4, all, statuses);
    IS(got[0] == last && got[1] == last && from(&statuses[0], last, 1, 1) && from(&statuses[2], last, 2, 1));
    MPI_Waitall(4, all, MPI_STATUSES_IGNORE);
    MPI_Waitany(4, all, &which, statuses);
    IS(which == MPI_UNDEFINED);
    MPI_Waitsome(4, all, &number, indices, statuses);
    IS(number == MPI_UNDEFINED);
    for (int some = 0; some < 2; some++) {
        MPI_Irecv(&got[2], 1, MPI_INT, last, 3, MPI_COMM_WORLD, &all[2]);
        MPI_Send(&word, 1, MPI_INT, next, 3, MPI_COMM_WORLD);
        if (some) MPI_Waitsome(4, all, &number, indices, statuses);
        else MPI_Waitany(4, all, &indices[0], statuses), number = 1;
        IS(number == 1 && indices[0] == 2 && from(&statuses[0], last, 3, 1) && all[2] == MPI_REQUEST_NULL);
    }
    MPI_Recv_init(&got[0], 1, MPI_INT, last, 4, MPI_COMM_WORLD, &all[0]);
    MPI_Send_init(&word, 1, MPI_INT, next, 4, MPI_COMM_WORLD, &all[1]);
    MPI_Startall(2, all);
    MPI_Waitall(2, all, statuses);
    MPI_Start(&all[0]), MPI_Start(&all[1]);
    MPI_Wait(&all[0], &statuses[0]), MPI_Wait(&all[1], MPI_STATUS_IGNORE);
    IS(from(&statuses[0], last, 4, 1) && all[0] != MPI_REQUEST_NULL);
    MPI_Wait(&all[0], &statuses[0]);
    IS(from(&statuses[0], MPI_ANY_SOURCE, MPI_ANY_TAG, 0));
    MPI_Request_free(&all[0]), MPI_Request_free(&all[1]);
}

static void add(void *in, void *out, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++) ((int *)out)[i] += ((int *)in)[i];
}

static void collectives(MPI_Comm world)
{
    int me, n, mine[MOST], all[MOST], counts[MOST], places[MOST], sum = 0, own;
    MPI_Comm_rank(world, &me), MPI_Comm_size(world, &n);
    for (int i = 0; i < n; i++) mine[i] = me * 100 + i, counts[i] = 1, places[i] = n - 1 - i, sum += i;
    MPI_Barrier(world);
    own = me == n - 1 ? 42 : 0;
    MPI_Bcast(&own, 1, MPI_INT, n - 1, world);
    IS(own == 42);
    MPI_Reduce(&me, &own, 1, MPI_INT, MPI_SUM, 0, world);
    IS(me != 0 || own == sum);
    own = me;
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_INT, MPI_SUM, world);
    IS(own == sum);
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&me, &own, 1, MPI_INT, op, world);
    IS(own == sum);
    MPI_Op_free(&op);
    MPI_Gather(&me, 1, MPI_INT, all, 1, MPI_INT, 0, world);
    IS(me != 0 || all[n - 1] == n - 1);
    MPI_Gatherv(&me, 1, MPI_INT, all, counts, places, MPI_INT, 0, world);
    IS(me != 0 || all[0] == n - 1);
    MPI_Scatter(mine, 1, MPI_INT, &own, 1, MPI_INT, 0, world);
    IS(own == me);
    MPI_Scatterv(mine, counts, places, MPI_INT, &own, 1, MPI_INT, 0, world);
    IS(own == n - 1 - me);
    MPI_Allgather(&me, 1, MPI_INT, all, 1, MPI_INT, world);
    IS(all[n - 1] == n - 1);
    MPI_Allgatherv(&me, 1, MPI_INT, all, counts, places, MPI_INT, world);
    IS(all[0] == n - 1);
    MPI_Alltoall(mine, 1, MPI_INT, all, 1, MPI_INT, world);
    IS(all[n - 1] == (n - 1) * 100 + me);
    MPI_Alltoallv(mine, counts, places, MPI_INT, all, counts, places, MPI_INT, world);
    IS(all[0] == (n - 1) * 100 + n - 1 - me);
    MPI_Reduce_scatter(mine, &own, counts, MPI_INT, MPI_SUM, world);
    IS(own == sum * 100 + n * me);
    MPI_Reduce_scatter_block(mine, &own, 1, MPI_INT, MPI_SUM, world);
    IS(own == sum * 100 + n * me);
    MPI_Scan(&me, &own, 1, MPI_INT, MPI_SUM, world);
    IS(own == me * (me + 1) / 2);
    MPI_Exscan(&me, &own, 1, MPI_INT, MPI_SUM, world);
    IS(me == 0 || own == me * (me - 1) / 2);
}

static void communicators(void)
{
    MPI_Comm half, twin, none;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    collectives(half);
    MPI_Comm_dup(half, &twin);
    collectives(twin);
    MPI_Comm_split(twin, MPI_UNDEFINED, 0, &none);
    IS(none == MPI_COMM_NULL);
    MPI_Comm_free(&twin), MPI_Comm_free(&half);
    collectives(MPI_COMM_SELF);
}

static int class_of(int code)
{
    int kind;
    MPI_Error_class(code, &kind);
    return kind;
}

/* Errors come out as codes, and what was begun is taken back. */
static void errors(void)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size, two[2] = {rank, 0}, one = 0;
    MPI_Request request;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Isend(two, 2, MPI_INT, next, 1, MPI_COMM_WORLD, &request);
    IS(class_of(MPI_Recv(&one, 1, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    IS(class_of(MPI_Send(two, 1, MPI_INT, size, 2, MPI_COMM_WORLD)) == MPI_ERR_RANK);
    IS(class_of(MPI_Bcast(two, -1, MPI_INT, 0, MPI_COMM_WORLD)) == MPI_ERR_COUNT);
    MPI_Barrier(MPI_COMM_WORLD);
    int code = MPI_Sendrecv(two, 1, MPI_INT, size, 3, two, 1, MPI_INT, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    IS(class_of(code) == MPI_ERR_RANK);
    MPI_Sendrecv(two, 1, MPI_INT, next, 3, &one, 1, MPI_INT, last, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    IS(one == last && two[0] == rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Rank 1 sends when rank 0 has looked in vain. */
static void looks(void)
{
    int word = 5, there = 0, which, indices[2], number = 0;
    MPI_Request two[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[2];
    for (int how = 0; how < 5; how++) {
        if (rank == 1) {
            MPI_Recv(&word, 0, MPI_INT, 0, how, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&word, 1, MPI_INT, 0, how, MPI_COMM_WORLD);
        } else if (rank == 0) {
            MPI_Iprobe(1, how, MPI_COMM_WORLD, &there, statuses);
            IS(!there);
            MPI_Send(&word, 0, MPI_INT, 1, how, MPI_COMM_WORLD);
            while (how == 0 && !there) MPI_Iprobe(1, how, MPI_COMM_WORLD, &there, statuses);
            MPI_Irecv(&word, 1, MPI_INT, 1, how, MPI_COMM_WORLD, &two[1]);
            for (there = 0; how < 2 && !there;) MPI_Test(&two[1], &there, statuses);
            while (how == 2 && !there) MPI_Testall(2, two, &there, statuses);
            while (how == 3 && !there) MPI_Testany(2, two, &which, &there, statuses);
            while (how == 4 && !number) MPI_Testsome(2, two, &number, indices, statuses);
            IS(two[1] == MPI_REQUEST_NULL && word == 5);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    modes();
    exchanges();
    requests();
    collectives(MPI_COMM_WORLD);
    communicators();
    if (argc > 1 && !strcmp(argv[1], "more")) errors(), looks();
    MPI_Finalize();
    if (rank == 0) puts("all was so");
    return 0;
}
