/* Figures of the token runtime; rank 0 writes one number to the file that the last argument names.
   switch N   time of a hand-over of the token over that of a bare hand-over between two processes
   record N   recorded calls per second and rank
   memory     kilobytes of a rank, pages it shares counted by their share
   start      nothing: MPI_Init, MPI_Barrier, MPI_Finalize */
#include "mpi.h"
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static int rank;

extern void mpiete_call_(int *site, int *level);

static void at(int site) {
    int level = 0;
    mpiete_call_(&site, &level);
}

static void give(atomic_int *word) {
    atomic_store(word, 1);
    syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void await(atomic_int *word) {
    while (!atomic_exchange(word, 0)) syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

/* Two processes hand a futex word to and fro: seconds a hand-over. */
static double bare(int times) {
    atomic_int *words = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    double start = MPI_Wtime();
    if (!fork()) {
        for (int i = 0; i < times; i++) await(&words[0]), give(&words[16]);
        _exit(0);
    }
    for (int i = 0; i < times; i++) give(&words[0]), await(&words[16]);
    wait(NULL);
    return (MPI_Wtime() - start) / times / 2;
}

/* Two ranks send an empty message to and fro: seconds a hand-over. */
static double token(int times) {
    double start = MPI_Wtime();
    for (int i = 0; i < times; i++) {
        if (rank == 0) MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(NULL, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / times / 2;
}

static int ascending(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static double handover_ratio(int times) {
    double ratios[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) ratios[i] = rank == 0 ? 1 / bare(times) : 1, ratios[i] *= token(times);
    qsort(ratios, ROUNDS, sizeof *ratios, ascending);
    return ratios[ROUNDS / 2];
}

static double recorded_calls(int times) {
    double data[8] = {0}, start = MPI_Wtime();
    MPI_Request request;
    for (int i = 0; i < times; i++) {
        at(0);
        MPI_Irecv(data, 8, MPI_DOUBLE, rank ^ 1, 1, MPI_COMM_WORLD, &request);
        at(1);
        MPI_Send(data, 8, MPI_DOUBLE, rank ^ 1, 1, MPI_COMM_WORLD);
        at(2);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        at(3);
        MPI_Allreduce(data, data + 4, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    return 4 * times / (MPI_Wtime() - start);
}

static double kilobytes(void) {
    char line[128];
    int own = 0, all = 0, ranks;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "Pss: %d kB", &own);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Reduce(&own, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    return (double)all / ranks;
}

int main(int argc, char **argv) {
    double value = 0;
    int times = argc > 3 ? atoi(argv[2]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[1], "switch")) value = handover_ratio(times);
    if (!strcmp(argv[1], "record")) value = recorded_calls(times);
    if (!strcmp(argv[1], "memory")) value = kilobytes();
    if (rank == 0 && strcmp(argv[1], "start")) {
        FILE *file = fopen(argv[argc - 1], "w");
        fprintf(file, "%.6g\n", value);
        fclose(file);
    }
    return MPI_Finalize();
}
