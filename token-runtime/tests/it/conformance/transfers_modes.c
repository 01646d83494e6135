/* Sends in all modes, receives, probes, persistent requests, completion, cancelling; rank 0 prints the results. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, other;
static MPI_Comm world;

/* Prints the values of all ranks, in rank order. */
static void report(const char *name, int a, int b, int c) {
    int seen[3] = {a, b, c}, theirs[3];
    if (rank == 0) {
        printf("%s: %d %d %d", name, a, b, c);
        MPI_Recv(theirs, 3, MPI_INT, other, 999, world, MPI_STATUS_IGNORE);
        printf(" | %d %d %d\n", theirs[0], theirs[1], theirs[2]);
    } else {
        MPI_Send(seen, 3, MPI_INT, 0, 999, world);
    }
}

static int query(void *state, MPI_Status *status) {
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 5;
    status->MPI_TAG = 6;
    return MPI_SUCCESS;
}
static int release(void *state) { *(int *)state += 100; return MPI_SUCCESS; }
static int cancels(void *state, int complete) { *(int *)state += 10 + complete; return MPI_SUCCESS; }

int main(int argc, char **argv) {
    MPI_Status status, statuses[4];
    MPI_Request requests[4], request;
    MPI_Message message;
    int data[8], got[8], count, flag, index, indices[4], number, code, size;
    MPI_Init(&argc, &argv);
    world = MPI_COMM_WORLD;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    if (rank == 0) printf("begins\n");
    MPI_Comm_split(world, size > 1 && rank < 2 ? 0 : MPI_UNDEFINED, rank, &world);
    if (world == MPI_COMM_NULL) {
        MPI_Finalize();
        return 0;
    }
    other = 1 - rank;
    for (int i = 0; i < 8; i++) data[i] = 10 * rank + i;

    /* Modes: rank 0 sends, rank 1 receives. */
    char *buffer = malloc(10000);
    MPI_Buffer_attach(buffer, 10000);
    memset(got, 0, sizeof got);
    if (rank == 0) {
        MPI_Recv(&flag, 1, MPI_INT, 1, 50, world, &status);
        MPI_Rsend(data, 4, MPI_INT, 1, 1, world);
        MPI_Ssend(data, 3, MPI_INT, 1, 2, world);
        MPI_Bsend(data, 2, MPI_INT, 1, 3, world);
        MPI_Issend(data, 5, MPI_INT, 1, 4, world, &requests[0]);
        MPI_Ibsend(data, 6, MPI_INT, 1, 5, world, &requests[1]);
        MPI_Isend(data, 7, MPI_INT, 1, 6, world, &requests[2]);
        MPI_Waitall(3, requests, statuses);
        report("modes", requests[0] == MPI_REQUEST_NULL, 0, 0);
    } else {
        int sum = 0;
        flag = 1;
        MPI_Irecv(got, 8, MPI_INT, 0, 1, world, &request);
        MPI_Send(&flag, 1, MPI_INT, 0, 50, world);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        sum += count;
        for (int k = 0; k < 5; k++) {
            int tags[] = {2, 6, 5, 4, 3};
            MPI_Recv(got, 8, MPI_INT, MPI_ANY_SOURCE, tags[k], world, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            sum = sum * 10 + count;
        }
        report("modes", sum, status.MPI_SOURCE, status.MPI_TAG);
    }
    char *back;
    MPI_Buffer_detach(&back, &size);
    report("detached", back == buffer, size, 0);

    /* Probes. */
    if (rank == 0) {
        MPI_Send(data, 3, MPI_INT, 1, 7, world);
        MPI_Send(data, 4, MPI_INT, 1, 8, world);
        report("probes", 0, 0, 0);
        report("matched probes", 0, 0, 0);
    } else {
        MPI_Probe(0, MPI_ANY_TAG, world, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        do MPI_Iprobe(MPI_ANY_SOURCE, 8, world, &flag, &statuses[0]); while (!flag);
        MPI_Get_count(&statuses[0], MPI_INT, &number);
        report("probes", count, status.MPI_TAG, number);
        MPI_Mprobe(0, 8, world, &message, &status);
        MPI_Mrecv(got, 8, MPI_INT, &message, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        do MPI_Improbe(0, 7, world, &flag, &message, &status); while (!flag);
        MPI_Imrecv(got, 8, MPI_INT, &message, &request);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_INT, &number);
        report("matched probes", count, number, message == MPI_MESSAGE_NULL);
    }
    MPI_Mprobe(MPI_PROC_NULL, 3, world, &message, &status);
    number = message == MPI_MESSAGE_NO_PROC;
    MPI_Mrecv(got, 1, MPI_INT, &message, &status);
    report("of proc null", number, status.MPI_SOURCE == MPI_PROC_NULL, status.MPI_TAG == MPI_ANY_TAG);

    /* Both in one call. */
    MPI_Sendrecv(data, 2, MPI_INT, other, 9, got, 8, MPI_INT, other, 9, world, &status);
    report("sendrecv", got[0], got[1], status.MPI_SOURCE);
    memcpy(got, data, sizeof got);
    MPI_Sendrecv_replace(got, 3, MPI_INT, other, 9, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status);
    report("replace", got[0], got[2], got[3]);
    MPI_Isendrecv(data, 2, MPI_INT, other, 9, got, 8, MPI_INT, other, 9, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    report("isendrecv", got[0], got[1], request == MPI_REQUEST_NULL);
    memcpy(got, data, sizeof got);
    MPI_Isendrecv_replace(got, 3, MPI_INT, other, 9, other, 9, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    report("isendrecv_replace", got[0], got[2], got[3]);

    /* To oneself. */
    MPI_Isend(data, 3, MPI_INT, rank, 11, world, &requests[0]);
    MPI_Irecv(got, 8, MPI_INT, rank, 11, world, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[1], MPI_INT, &count);
    report("to oneself", got[2], count, statuses[1].MPI_SOURCE);

    /* Persistent requests. */
    MPI_Send_init(data, 2, MPI_INT, other, 12, world, &requests[0]);
    MPI_Ssend_init(data, 3, MPI_INT, other, 13, world, &requests[1]);
    MPI_Recv_init(got, 4, MPI_INT, other, 12, world, &requests[2]);
    MPI_Recv_init(got + 4, 4, MPI_INT, other, MPI_ANY_TAG, world, &requests[3]);
    for (int round = 0; round < 3; round++) {
        data[0] += 100;
        MPI_Startall(3, requests + 1);
        MPI_Start(&requests[0]);
        MPI_Waitall(4, requests, statuses);
        MPI_Get_count(&statuses[3], MPI_INT, &count);
        report("persistent", got[0], got[4], count * 100 + statuses[3].MPI_TAG);
    }
    MPI_Test(&requests[2], &flag, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    report("inactive", flag, count, status.MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Waitany(4, requests, &index, &status);
    report("none active", index == MPI_UNDEFINED, 0, 0);
    for (int i = 0; i < 4; i++) MPI_Request_free(&requests[i]);
    data[0] -= 300;

    /* Any and some. */
    if (rank == 0) {
        MPI_Barrier(world);
        for (int tag = 22; tag >= 20; tag--) MPI_Send(data, tag - 19, MPI_INT, 1, tag, world);
        MPI_Barrier(world);
        for (int k = 0; k < 4; k++) report("any", 0, 0, 0);
        for (int k = 0; k < 3; k++) report("some", 0, 0, 0);
    } else {
        for (int i = 0; i < 3; i++) MPI_Irecv(got + 2 * i, 4, MPI_INT, 0, 20 + i, world, &requests[i]);
        requests[3] = MPI_REQUEST_NULL;
        MPI_Testany(4, requests, &index, &flag, &status);
        int before = flag;
        MPI_Testall(4, requests, &number, statuses);
        MPI_Barrier(world);
        MPI_Barrier(world);
        do MPI_Testany(4, requests, &index, &flag, &status); while (!flag);
        MPI_Get_count(&status, MPI_INT, &count);
        report("any", before + number, index, count);
        MPI_Waitany(4, requests, &index, &status);
        report("any", index, status.MPI_TAG, requests[index] == MPI_REQUEST_NULL);
        MPI_Waitsome(4, requests, &number, indices, statuses);
        report("any", number, indices[0], statuses[0].MPI_TAG);
        MPI_Testsome(4, requests, &number, indices, statuses);
        report("any", number == MPI_UNDEFINED, 0, 0);
        for (int i = 0; i < 2; i++) MPI_Isend(data, 1, MPI_INT, 1, 30 + i, world, &requests[i]);
        for (int i = 2; i < 4; i++) MPI_Irecv(got + i, 1, MPI_INT, 1, 28 + i, world, &requests[i]);
        int total = 0;
        while (total < 4) {
            MPI_Testsome(4, requests, &number, indices, statuses);
            total += number;
        }
        report("some", total, got[2], got[3]);
        MPI_Testall(4, requests, &flag, statuses);
        report("some", flag, 0, 0);
        MPI_Test(&requests[0], &flag, &status);
        report("some", flag, status.MPI_TAG == MPI_ANY_TAG, 0);
    }

    /* Cancelling; not with an argument, for a run that is recorded. */
    if (argc == 1) {
        MPI_Irecv(got, 8, MPI_INT, other, 77, world, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        report("cancelled", flag, request == MPI_REQUEST_NULL, 0);
    }

    /* A status without completing. */
    MPI_Isend(data, 2, MPI_INT, rank, 78, world, &requests[0]);
    MPI_Irecv(got, 8, MPI_INT, rank, 78, world, &requests[1]);
    do MPI_Request_get_status(requests[1], &flag, &status); while (!flag);
    MPI_Get_count(&status, MPI_INT, &count);
    number = requests[1] != MPI_REQUEST_NULL;
    MPI_Waitall(2, requests, statuses);
    MPI_Get_count(&statuses[1], MPI_INT, &index);
    report("get_status", count, number, index);

    /* Testing one. */
    MPI_Irecv(got, 8, MPI_INT, rank, 79, world, &request);
    MPI_Test(&request, &number, &status);
    MPI_Send(data, 2, MPI_INT, rank, 79, world);
    do MPI_Test(&request, &flag, &status); while (!flag);
    MPI_Get_count(&status, MPI_INT, &count);
    report("test", number, count, status.MPI_TAG);

    /* Generalized. */
    int state = 3;
    MPI_Grequest_start(query, release, cancels, &state, &request);
    MPI_Test(&request, &flag, &status);
    MPI_Cancel(&request);
    number = state;
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    report("generalized", flag * 1000 + number, count, state * 100 + status.MPI_SOURCE * 10 + status.MPI_TAG);

    /* What does not fit is an error of that request. */
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (argc == 1) {
        MPI_Isend(data, 4, MPI_INT, rank, 80, world, &requests[0]);
        MPI_Isend(data, 1, MPI_INT, rank, 81, world, &requests[1]);
        MPI_Irecv(got, 2, MPI_INT, rank, 80, world, &requests[2]);
        MPI_Irecv(got, 2, MPI_INT, rank, 81, world, &requests[3]);
        code = MPI_Waitall(4, requests, statuses);
        MPI_Error_class(code, &code);
        MPI_Error_class(statuses[2].MPI_ERROR, &number);
        report("truncated", code == MPI_ERR_IN_STATUS, number == MPI_ERR_TRUNCATE, 0);
    }

    /* Derived datatypes and large counts. */
    MPI_Datatype column, pair;
    MPI_Type_vector(3, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    memset(got, 0, sizeof got);
    MPI_Sendrecv(data, 1, column, other, 90, got, 3, MPI_INT, other, 90, world, &status);
    report("column", got[0], got[1], got[2]);
    memset(got, 0, sizeof got);
    MPI_Sendrecv_c(data, 3, MPI_INT, other, 90, got + 1, 1, column, other, 90, world, &status);
    MPI_Get_elements(&status, column, &count);
    report("row", got[1] * 100 + got[2], got[3] * 100 + got[5], count);
    MPI_Type_contiguous(2, column, &pair);
    MPI_Type_commit(&pair);
    MPI_Irecv(got, 1, pair, rank, 91, world, &request);
    MPI_Type_free(&pair);
    MPI_Send(data, 4, MPI_INT, rank, 91, world);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, column, &count);
    MPI_Get_elements(&status, column, &number);
    report("partly", count == MPI_UNDEFINED, number, got[4]);
    MPI_Type_free(&column);
    free(buffer);
    MPI_Comm_free(&world);
    MPI_Finalize();
    return 0;
}
