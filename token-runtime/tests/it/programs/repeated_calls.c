/* Calls in an order that only a seed knows, with a few arguments each, on communicators and datatypes that
   come and go; how much of their messages is needed is the argument. */
#include <mpi.h>
#include <stdlib.h>

extern void mpiete_call_(int *site, int *level);

static int level, rank, size;
static unsigned state = 17;

static int any(int below)
{
    state = state * 1103515245u + 12345u;
    return (state >> 16) % below;
}

static void at(int site) { mpiete_call_(&site, &level); }

int main(int argc, char **argv)
{
    double in[64] = {0}, out[64] = {0};
    MPI_Request first, second;
    MPI_Init(&argc, &argv);
    level = atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype type = MPI_DOUBLE;
    for (int step = 0; step < 3000; step++) {
        int count = 1 + any(3), tag = any(2), site = 10 * any(3);
        switch (any(8)) {
        case 0:
            at(site), MPI_Irecv(in, count, type, before, tag, comm, &first);
            at(site + 1), MPI_Send(out, count, type, next, tag, comm);
            at(site + 2), MPI_Wait(&first, MPI_STATUS_IGNORE);
            break;
        case 1:
            at(site), MPI_Irecv(in, count, type, before, tag, comm, &first);
            at(site + 1), MPI_Isend(out, count, type, next, tag, comm, &second);
            at(site + 2), MPI_Wait(any(2) ? &first : &second, MPI_STATUS_IGNORE);
            at(site + 3), MPI_Wait(first == MPI_REQUEST_NULL ? &second : &first, MPI_STATUS_IGNORE);
            break;
        case 2:
            at(site + 1), MPI_Send(out, count, type, next, tag, comm);
            at(site + 4), MPI_Recv(in, count, type, before, tag, comm, MPI_STATUS_IGNORE);
            break;
        case 3:
            at(site + 5), MPI_Allreduce(any(2) ? MPI_IN_PLACE : out, in, count, MPI_DOUBLE, any(2) ? MPI_SUM : MPI_MAX, comm);
            break;
        case 4:
            at(site + 5), MPI_Bcast(in, count, type, any(2), comm);
            break;
        case 5:
            at(site + 6), MPI_Isendrecv(out, count, type, next, tag, in, count, type, before, tag, comm, &first);
            at(site + 2), MPI_Wait(&first, MPI_STATUS_IGNORE);
            break;
        case 6:
            at(site + 7), MPI_Barrier(comm);
            break;
        default:
            if (comm == MPI_COMM_WORLD)
                at(30), MPI_Comm_dup(MPI_COMM_WORLD, &comm);
            else
                MPI_Comm_free(&comm), comm = MPI_COMM_WORLD;
            if (type == MPI_DOUBLE)
                MPI_Type_contiguous(1 + any(3), MPI_DOUBLE, &type), MPI_Type_commit(&type);
            else
                MPI_Type_free(&type), type = MPI_DOUBLE;
        }
    }
    MPI_Finalize();
    return 0;
}
