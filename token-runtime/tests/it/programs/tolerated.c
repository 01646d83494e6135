/* Does what its argument says, which MPI libraries accept though the standard calls it an error. */
#include "mpi.h"
#include <stdio.h>
#include <string.h>

extern void mpiete_call_(int *site, int *level);

static void at(int site) {
    int level = 2;
    mpiete_call_(&site, &level);
}

int main(int argc, char **argv) {
    int rank, value = 0;
    static int kept;
    char bytes[6] = {1, 0, 0, 0, 2, 0};
    const char *how = argv[1];
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!strcmp(how, "types")) {
        for (int i = 0; i < 3; i++) {
            if (rank == 0) { at(0); MPI_Send(bytes, 4, MPI_CHAR, 1, 5, MPI_COMM_WORLD); }
            if (rank == 1) { at(1); MPI_Recv(&value, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
        }
        if (rank == 1) printf("got %d\n", value);
    }
    if (!strcmp(how, "parts")) {
        int values[2] = {0};
        if (rank == 0) MPI_Send(bytes, 6, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
        if (rank == 1) MPI_Recv(values, 2, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) printf("got %d\n", values[0]);
    }
    if (!strcmp(how, "receive") && rank == 0) MPI_Irecv(&kept, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
    if (!strcmp(how, "send") && rank == 0) MPI_Issend(&kept, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
    if (!strcmp(how, "barrier") && rank == 0) MPI_Ibarrier(MPI_COMM_WORLD, &request);
    if (!strcmp(how, "persistent") && rank == 0) {
        MPI_Recv_init(&kept, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
        MPI_Start(&request);
    }
    if (!strcmp(how, "missing") || !strcmp(how, "missing-fatal")) {
        MPI_Comm comm;
        MPI_Win win;
        int code, class;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (!strcmp(how, "missing")) MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        at(0);
        code = MPI_Win_create(&kept, sizeof kept, 1, MPI_INFO_NULL, comm, &win);
        MPI_Error_class(code, &class);
        if (rank == 0) printf("%d\n", class == MPI_ERR_UNSUPPORTED_OPERATION);
    }
    at(1);
    MPI_Finalize();
    return 0;
}
