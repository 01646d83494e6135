/* Calls that are recorded as something else: of each, what it is in the stream stands before it. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, flag, in[8] = {0}, out[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request request;
    MPI_Message message;

    /* irecv isend wait(both) */
    MPI_Isendrecv(out, 4, MPI_INT, next, 1, in, 4, MPI_INT, before, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* send probe recv */
    MPI_Send(out, 4, MPI_INT, next, 2, MPI_COMM_WORLD);
    MPI_Mprobe(before, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 4, MPI_INT, &message, MPI_STATUS_IGNORE);

    /* send irecv wait; the call that completes the request completes nothing any more */
    MPI_Send(out, 4, MPI_INT, rank, 3, MPI_COMM_WORLD);
    MPI_Irecv(in, 4, MPI_INT, rank, 3, MPI_COMM_WORLD, &request);
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* split; then twice: 2 irecv 2 isend wait(all four) */
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &ring);
    MPI_Neighbor_alltoall(out, 4, MPI_INT, in, 4, MPI_INT, ring);
    MPI_Ineighbor_allgather(out, 4, MPI_INT, in, 4, MPI_INT, ring, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* 10 times: collective wait */
    MPI_Allreduce_init(out, in, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 10; i++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);

    /* collective wait */
    MPI_Comm copy;
    MPI_Comm_idup(ring, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    /* split, of its own members */
    MPI_Group group;
    MPI_Comm all;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &all);

    /* split; leaders: sendrecv; rooted split; then an irecv or isend and its wait, and a split */
    MPI_Comm half, both, merged;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &both);
    MPI_Bcast(in, 4, MPI_INT, rank % 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, both);
    MPI_Intercomm_merge(both, rank % 2, &merged);
    MPI_Finalize();
    return 0;
}
