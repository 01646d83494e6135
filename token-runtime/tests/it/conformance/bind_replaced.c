/* Functions that later versions of the standard replaced, and rare forms of others. */
#include <mpi.h>
#include <stdio.h>

static int called;

static void handler(MPI_Comm *comm, int *code, ...)
{
    called += *code != MPI_SUCCESS;
}

static void show(const char *name, MPI_Datatype type)
{
    MPI_Aint extent, lower, upper;
    MPI_Count true_lower, true_extent;
    int size;
    MPI_Type_commit(&type);
    MPI_Type_extent(type, &extent);
    MPI_Type_lb(type, &lower);
    MPI_Type_ub(type, &upper);
    MPI_Type_size(type, &size);
    MPI_Type_get_true_extent_x(type, &true_lower, &true_extent);
    printf("%s: extent %ld, from %ld to %ld, size %d, true %ld %ld\n", name, (long)extent, (long)lower,
        (long)upper, size, (long)true_lower, (long)true_extent);
    MPI_Type_free(&type);
}

static void sends(int rank, int size)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, out[3] = {rank, 10, 20}, in[3] = {0, 0, 0};
    static char room[1000 + 2 * MPI_BSEND_OVERHEAD];
    MPI_Request requests[6];
    for (int i = 0; i < 3; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, from, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Buffer_attach(room, sizeof room);
    MPI_Irsend(&out[0], 1, MPI_INT, to, 0, MPI_COMM_WORLD, &requests[3]);
    MPI_Rsend_init(&out[1], 1, MPI_INT, to, 1, MPI_COMM_WORLD, &requests[4]);
    MPI_Bsend_init(&out[2], 1, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[5]);
    MPI_Startall(2, &requests[4]);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
    printf("rank %d has %d %d %d\n", rank, in[0], in[1], in[2]);
    MPI_Request_free(&requests[4]);
    MPI_Request_free(&requests[5]);
    void *back;
    int bytes;
    MPI_Buffer_detach(&back, &bytes);
    printf("buffer %d, %d bytes\n", back == room, bytes);
}

int main(int argc, char **argv)
{
    int rank, size, numbers[4], lengths[2] = {2, 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    MPI_Aint first, third, places[2] = {0, 24};
    MPI_Address(&numbers[0], &first);
    MPI_Address(&numbers[2], &third);
    printf("apart %ld\n", (long)(third - first));
    MPI_Datatype type, kinds[2] = {MPI_DOUBLE, MPI_INT};
    MPI_Type_hvector(3, 2, 40, MPI_INT, &type);
    show("hvector", type);
    MPI_Type_hindexed(2, lengths, places, MPI_SHORT, &type);
    show("hindexed", type);
    MPI_Type_struct(2, lengths, places, kinds, &type);
    show("struct", type);

    MPI_Errhandler made, found;
    MPI_Errhandler_create(handler, &made);
    MPI_Errhandler_set(MPI_COMM_WORLD, made);
    MPI_Errhandler_get(MPI_COMM_WORLD, &found);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    printf("handler %d, called %d\n", found == made, called);
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);

    MPI_Status status;
    MPI_Count count;
    MPI_Status_set_elements_x(&status, MPI_INT, 7);
    MPI_Get_elements_x(&status, MPI_INT, &count);
    printf("elements %ld\n", (long)count);

    MPI_Comm later;
    MPI_Request request;
    MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int relation;
    MPI_Comm_compare(MPI_COMM_WORLD, later, &relation);
    printf("copy %d\n", relation == MPI_CONGRUENT);
    MPI_Comm_free(&later);

    sends(rank, size);
    MPI_Finalize();
    return 0;
}
