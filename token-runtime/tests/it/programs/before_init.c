/* Does something before MPI_Init, as its argument says; rank by rank each then says what it sees. */
#include "mpi.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *nothing(void *unused) {
    pause();
    return unused;
}

int main(int argc, char **argv) {
    int rank, ranks, turn, ends[2];
    const char *what = argv[1];
    char word[16] = "";
    FILE *file = fopen("words", "r");
    pthread_t thread;
    int parent;
    setvbuf(file, NULL, _IONBF, 0);
    fscanf(file, "%15s", word);
    if (!strcmp(what, "prints")) printf("hello\n");
    if (!strcmp(what, "writes")) printf("hello\n"), fflush(stdout);
    if (!strcmp(what, "threads")) pthread_create(&thread, NULL, nothing, NULL);
    if (!strcmp(what, "pipes") && pipe(ends)) return 1;
    MPI_Init(&argc, &argv);
    parent = getppid();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Bcast(&parent, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (turn = 0; turn < ranks; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn != rank) continue;
        fscanf(file, "%15s", word);
        printf("%d %s %d %d\n", rank, word, parent == getppid(), getchar());
        fflush(stdout);
    }
    return MPI_Finalize();
}
