/* Ranks that need one another only for what can be left behind; `live` asks for a call that cannot. */
#include "mpi.h"
#include <stdlib.h>
#include <string.h>

extern void mpiete_call_(int *site, int *level);

enum { RECORDED, ENVELOPE, PAYLOAD };

static void at(int site, int level) {
    mpiete_call_(&site, &level);
}

int main(int argc, char **argv) {
    const char *live = argc > 1 ? argv[1] : "";
    int rank, ranks, where, size, steps[2], own, sum = 0, *shares;
    MPI_Comm copy, column, part;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    /* The last rank knows, the others have to come again. */
    steps[0] = steps[1] = rank == ranks - 1 ? 5 : 0;
    at(1, PAYLOAD);
    MPI_Bcast(steps, 2, MPI_INT, ranks - 1, MPI_COMM_WORLD);

    /* Colours that depend on it, and keys that reverse the order; then a constructor on what was made. */
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(copy, rank % (steps[1] - 2), -rank, &column);
    MPI_Comm_rank(column, &where);
    MPI_Comm_size(column, &size);
    MPI_Comm_split(column, where == 0 ? MPI_UNDEFINED : where / 2, where, &part);

    /* Each its own share of what the first of a column has. */
    shares = calloc(size, sizeof(int));
    for (int i = 0; where == 0 && i < size; i++) shares[i] = i + 1;
    at(2, PAYLOAD);
    MPI_Scatter(shares, 1, MPI_INT, &own, 1, MPI_INT, 0, column);

    for (int i = 0; i < steps[0]; i++) {
        at(3, RECORDED);
        MPI_Send(shares, own, MPI_INT, (where + 1) % size, 7, column);
        at(4, RECORDED);
        MPI_Recv(shares, own, MPI_INT, (where + size - 1) % size, 7, column, MPI_STATUS_IGNORE);
        at(5, RECORDED);
        MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    if (!strcmp(live, "sum")) {
        at(6, PAYLOAD);
        MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else if (!strcmp(live, "message")) {
        at(7, ENVELOPE);
        if (rank == 0) MPI_Recv(&own, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(&own, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    } else if (!strcmp(live, "unused")) {
        /* Not all come: what the first is to give is never left. */
        at(8, PAYLOAD);
        if (rank > 0) MPI_Bcast(&own, 1, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (!strcmp(live, "abort") && rank == 1) {
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else if (!strcmp(live, "crash") && rank == 1) {
        abort();
    }
    free(shares);
    return MPI_Finalize();
}
