/* What the library keeps of many calls, blocks and loops is none of the program's heap: a rank prints how many bytes more of
   the heap are in use, and how far its end has moved. */
#include "mpi.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Probes of the runtime; other MPI libraries have none. */
extern void mpiete_begin_(int *block, int *count, long long *terms) __attribute__((weak));
extern void mpiete_end_(int *block) __attribute__((weak));

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void work(int turn) {
    int block = turn % 7, count = 1, sum, rank;
    long long term = turn;
    MPI_Comm copy;
    MPI_Datatype row;
    MPI_Request request;
    if (mpiete_begin_) {
        mpiete_begin_(&block, &count, &term);
        mpiete_end_(&block);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(2 + turn % 50, 1, 2, MPI_INT, &row);
    MPI_Type_commit(&row);
    MPI_Type_free(&row);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Allreduce(&turn, &sum, 1, MPI_INT, MPI_SUM, copy);
    MPI_Isend(&turn, 1, MPI_INT, rank, turn, copy, &request);
    MPI_Recv(&sum, 1, MPI_INT, rank, turn, copy, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    work(0);
    /* What the C library itself keeps of writing. */
    setvbuf(stdout, NULL, _IONBF, 0);
    /* A program frees its own, and the end of the heap goes back. */
    free(malloc(100 << 10));
    malloc_trim(0);
    char *end = sbrk(0);
    struct mallinfo before = mallinfo();
    for (int turn = 1; turn < 500; turn++) work(turn);
    struct mallinfo after = mallinfo();
    long used = (long)after.uordblks - before.uordblks + after.hblkhd - before.hblkhd;
    long moved = (char *)sbrk(0) - end;
    MPI_Finalize();
    printf("%ld bytes more in use, end moved by %ld\n", used, moved);
    return 0;
}
