/* Two threads of each rank are inside MPI at once: one exchanges messages round the ring, the other
 * takes part in collectives. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { TIMES = 100 };
static MPI_Comm twin;

static void *collect(void *sum)
{
    int all;
    for (int i = 0; i < TIMES; i++) {
        MPI_Allreduce(&i, &all, 1, MPI_INT, MPI_SUM, twin);
        *(int *)sum += all;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int level, rank, size, got, sum = 0;
    pthread_t other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    pthread_create(&other, NULL, collect, &sum);
    int next = (rank + 1) % size, last = (rank + size - 1) % size, right = level == MPI_THREAD_MULTIPLE;
    for (int i = 0; i < TIMES; i++) {
        MPI_Sendrecv(&i, 1, MPI_INT, next, 0, &got, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        right = right && got == i;
    }
    pthread_join(other, NULL);
    if (!right || sum != size * TIMES * (TIMES - 1) / 2) MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    if (rank == 0) puts("all was so");
    return 0;
}
