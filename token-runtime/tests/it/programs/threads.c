/* Two threads of each rank call MPI at the same time; the last test is one that only threads pass: one
   waits for what the other sends much later. */
#include "mpi.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 200 };

static int rank, ranks;

static void *exchange(void *number) {
    int tag = *(int *)number, sum = 0, value;
    MPI_Request requests[2];
    for (int i = 0; i < ROUNDS; i++) {
        int mine = rank + i + tag;
        MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % ranks, tag, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&mine, 1, MPI_INT, (rank + ranks - 1) % ranks, tag, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        sum += value - (rank + 1) % ranks - i - tag;
        if (tag == 1) MPI_Allreduce(&mine, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    *(int *)number = sum;
    return NULL;
}

static void *late(void *value) {
    usleep(20000);
    MPI_Send(value, 1, MPI_INT, rank, 7, MPI_COMM_WORLD);
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    int provided, numbers[2] = {1, 2}, value = 17, got = 0, all;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, exchange, &numbers[i]);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pthread_create(&threads[0], NULL, late, &value);
    MPI_Recv(&got, 1, MPI_INT, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(threads[0], NULL);
    got = got == 17 && numbers[0] == 0 && numbers[1] == 0;
    MPI_Reduce(&got, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("%d %d\n", provided == MPI_THREAD_MULTIPLE, all);
    return MPI_Finalize();
}
