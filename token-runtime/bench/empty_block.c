/* What the timer of the compute probe costs: empty blocks, called as probes call them, beside bare pairs of
   readings of the cycle counter, alternately. Prints ticks of an empty block, of one with three work terms and of a
   pair, medians over rounds. Runs in mode `measure`. */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

/* Rounds are short, so that most of them have the processor core for themselves. */
enum { ROUNDS = 2001, TIMES = 2000 };

void mpiete_begin_(const int *block, const int *count, const int64_t *terms);
void mpiete_end_(const int *block);
void mpiete_loop_(const int *id);
int mpiete_cut_(const int *id);

static volatile uint64_t kept;

static double blocks(int block, int count, const int64_t *terms) {
    uint64_t start = __rdtsc();
    for (int i = 0; i < TIMES; i++) {
        mpiete_begin_(&block, &count, terms);
        mpiete_end_(&block);
    }
    return (double)(__rdtsc() - start) / TIMES;
}

static double pairs(void) {
    uint64_t start = __rdtsc();
    for (int i = 0; i < TIMES; i++) {
        uint64_t begin = __rdtsc();
        kept = __rdtsc() - begin;
    }
    return (double)(__rdtsc() - start) / TIMES;
}

static int ascending(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return difference < 0 ? -1 : difference > 0;
}

static double median(double *values) {
    qsort(values, ROUNDS, sizeof *values, ascending);
    return values[ROUNDS / 2];
}

int main(void) {
    const int64_t terms[3] = {12, 34, 56};
    const int loop = 0;
    double empty[ROUNDS], of_terms[ROUNDS], pair[ROUNDS];
    MPI_Init(NULL, NULL);
    mpiete_loop_(&loop);
    mpiete_cut_(&loop);
    for (int round = 0; round < ROUNDS; round++) {
        pair[round] = pairs();
        empty[round] = blocks(0, 0, terms);
        of_terms[round] = blocks(1, 3, terms);
    }
    printf("%.1f %.1f %.1f\n", median(empty), median(of_terms), median(pair));
    MPI_Finalize();
    return 0;
}
