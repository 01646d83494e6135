/* Fails in the way its argument says. */
#include "mpi.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int deep(volatile char *above) {
    volatile char room[1000];
    room[0] = above ? above[0] : 1;
    return deep(room) + room[0];
}

extern void mpiete_call_(int *site, int *level);

static void at(int site) {
    int level = 2;
    mpiete_call_(&site, &level);
}

int main(int argc, char **argv) {
    int rank, ranks, value = 0;
    const char *how = argv[1];
    if (!strcmp(how, "no-init")) {
        /* Who has written is not forked: each rank starts anew. */
        if (write(2, "", 0) || getenv("MPIETE_RANK")[0] == '1') return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!strcmp(how, "deadlock")) {
        at(0);
        MPI_Recv(&value, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (!strcmp(how, "requests")) {
        MPI_Comm named;
        MPI_Request requests[2];
        int values[2];
        MPI_Comm_dup(MPI_COMM_WORLD, &named);
        MPI_Comm_set_name(named, "ice\nocean");
        if (rank == 0) {
            MPI_Irecv(&values[0], 1, MPI_INT, 1, 5, named, &requests[0]);
            MPI_Irecv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 6, named, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        if (rank == 1) MPI_Issend(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &requests[0]);
        if (rank == 2) MPI_Ibarrier(named, &requests[0]);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    if (!strcmp(how, "barrier-missing") && rank != 1) MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "polling")) {
        if (rank != 0) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (;;) MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &value, MPI_STATUS_IGNORE);
    }
    if (!strcmp(how, "crash") && rank == 1) raise(SIGSEGV);
    if (!strcmp(how, "init-again")) MPI_Init(&argc, &argv);
    if (!strcmp(how, "deep") && rank == 1) return deep(0);
    if (!strcmp(how, "stop") && rank == 1) exit(0);
    if (!strcmp(how, "abort") && rank == 1) {
        at(0);
        MPI_Abort(MPI_COMM_WORLD, 42);
    }
    if (!strcmp(how, "mismatch")) {
        at(rank);
        if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
        else MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!strcmp(how, "sizes")) {
        int all[8], counts[8] = {1, 2, 1, 1, 1, 1, 1, 1}, places[8] = {0, 1, 3, 4, 5, 6, 7};
        at(rank == 0);
        MPI_Gatherv(&value, 1, MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!strcmp(how, "operations")) {
        int sum;
        MPI_Reduce(&value, &sum, 1, MPI_INT, rank == 2 ? MPI_MAX : MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!strcmp(how, "truncation")) {
        int two[2] = {1, 2};
        if (rank == 0) MPI_Send(two, 2, MPI_INT, 1, 3, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (!strcmp(how, "bad-rank")) MPI_Send(&value, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD);
    if (!strcmp(how, "bad-op")) {
        double number = 0;
        MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD);
    }
    if (!strcmp(how, "returned")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (MPI_Send(&value, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) != MPI_ERR_COUNT) exit(3);
    }
    if (!strcmp(how, "full")) {
        char *data = calloc(1, 1 << 20);
        for (int i = 0; i < 1 << 20; i++) MPI_Send(data, 1 << 20, MPI_CHAR, rank, i, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    if (!strcmp(how, "finalize-again")) MPI_Finalize();
    if (!strcmp(how, "after") && rank == 1) exit(9);
    return 0;
}
