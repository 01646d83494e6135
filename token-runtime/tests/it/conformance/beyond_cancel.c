// Unmatched sends are cancelled, which MPICH over shared memory does not do; a message before
// and one behind them with the same envelope stay. What was received is not cancelled.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef int Start(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static int rank, other;

static void tries(const char *what, Start *start)
{
    int data[5] = {1, 2, 3, 4, 5}, got[5] = {0}, cancelled, again = 1;
    MPI_Request before, behind, request;
    MPI_Status status;
    MPI_Isend(data, 1, MPI_INT, other, 7, MPI_COMM_WORLD, &before);
    start(data, 5, MPI_INT, other, 7, MPI_COMM_WORLD, &request);
    MPI_Isend(data, 2, MPI_INT, other, 7, MPI_COMM_WORLD, &behind);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int expected = 1; expected <= 2; expected++) {
        int count;
        MPI_Recv(got, 5, MPI_INT, other, 7, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        if (count != expected) printf("wrong: %d elements came\n", count);
    }
    MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &again, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&before, MPI_STATUS_IGNORE);
    MPI_Wait(&behind, MPI_STATUS_IGNORE);
    printf("rank %d %s%s\n", rank, cancelled && !again ? "cancelled " : "wrong: did not cancel ", what);
}

int main(void)
{
    int size, data = 0, got, cancelled;
    void *buffer = malloc(1000), *back;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    other = rank ^ 1;
    if (other >= size) other = rank;
    MPI_Buffer_attach(buffer, 1000);
    tries("a standard send", MPI_Isend);
    tries("a buffered send", MPI_Ibsend);
    tries("a synchronous send", MPI_Issend);
    MPI_Buffer_detach(&back, &size);
    free(buffer);

    MPI_Send_init(&data, 1, MPI_INT, other, 8, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    printf("rank %d %s a persistent send\n", rank, cancelled ? "cancelled" : "wrong: did not cancel");
    MPI_Request_free(&request);

    MPI_Isend(&rank, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &request);
    MPI_Recv(&got, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    printf("rank %d %s\n", rank, cancelled ? "wrong: cancelled what was received" : "kept what was received");
    MPI_Finalize();
    return 0;
}
