/* masterworker [-n tasks] [-s task_bytes] [-a answer_bytes] [-c mean_compute_us] [-d 1] [-r repetitions]
 * Rank 0 gives tasks to whoever answers first (MPI_ANY_SOURCE); -d 1: to each worker in turn, to compare.
 * The length of task i is fixed, between 0.5 and 1.5 of the mean, the same in every launch. */
#include "bench.h"

#define NO_TASK (-1)

struct job { int rank, workers, tasks, in_turn; long task_bytes, answer_bytes; double mean; char *buffer; };

/* A small generator that patterns.py repeats. */
static double weight(int task)
{
    unsigned x = task * 2654435761u + 12345u;
    x ^= x >> 16, x *= 0x45d9f3bu, x ^= x >> 16;
    return 0.5 + (x % 10000) / 10000.0;
}

static void give(const struct job *j, int worker, int task)
{
    memcpy(j->buffer, &task, sizeof task);         /* the number of the task leads its message */
    MPI_Send(j->buffer, j->task_bytes, MPI_BYTE, worker, 1, MPI_COMM_WORLD);
}

/* The task that a worker gets as its turn-th one. */
static int choose(const struct job *j, int worker, int turn, int *next)
{
    int task = j->in_turn ? turn * j->workers + worker - 1 : (*next)++;
    return task < j->tasks ? task : NO_TASK;
}

static void master(const struct job *j)
{
    int next = 0, busy = 0, turn[j->workers + 1];
    memset(turn, 0, sizeof turn);
    for (int w = 1; w <= j->workers; w++) {
        int task = choose(j, w, turn[w]++, &next);
        busy += task != NO_TASK;
        give(j, w, task);
    }
    while (busy > 0) {
        MPI_Status status;
        MPI_Recv(j->buffer, j->answer_bytes, MPI_BYTE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        int w = status.MPI_SOURCE, task = choose(j, w, turn[w]++, &next);
        busy -= task == NO_TASK;
        give(j, w, task);
    }
}

static void worker(const struct job *j)
{
    for (int task;;) {
        MPI_Recv(j->buffer, j->task_bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memcpy(&task, j->buffer, sizeof task);
        if (task == NO_TASK) return;
        compute(j->mean * weight(task));
        MPI_Send(j->buffer, j->answer_bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    }
}

static double repeat(const struct job *j)
{
    double start = common_start();
    if (j->rank == 0) master(j);
    else worker(j);
    return reduce(now() - start, MPI_MAX);
}

static void report(const struct job *j, double *times, int repetitions)
{
    double work = 0;
    for (int i = 0; i < j->tasks; i++) work += weight(i) * j->mean;
    printf("RESULT program=masterworker pattern=%s ranks=%d iterations=%d bytes=%ld answer_bytes=%ld compute_us=%.0f",
           j->in_turn ? "cyclic" : "dynamic", j->workers + 1, j->tasks, j->task_bytes, j->answer_bytes, j->mean * 1e6);
    print_times(times, repetitions);
    printf(" work_per_worker=%.6f\n", work / j->workers);
}

int main(int argc, char **argv)
{
    struct job j = { .tasks = 200, .task_bytes = 1024, .answer_bytes = 1024, .mean = 20e-3 };
    int ranks, option, repetitions = 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while ((option = getopt(argc, argv, "n:s:a:c:d:r:")) != -1) switch (option) {
        case 'n': j.tasks = atoi(optarg); break;
        case 's': j.task_bytes = atol(optarg); break;
        case 'a': j.answer_bytes = atol(optarg); break;
        case 'c': j.mean = atof(optarg) * 1e-6; break;
        case 'd': j.in_turn = atoi(optarg); break;
        case 'r': repetitions = atoi(optarg); break;
        default: usage("masterworker [-n tasks] [-s task_bytes] [-a answer_bytes] [-c mean_compute_us] [-d 1] [-r repetitions]");
    }
    j.workers = ranks - 1;
    if (j.workers < 1) usage("masterworker with 2 ranks or more");
    j.task_bytes += sizeof(int), j.answer_bytes += sizeof(int);
    j.buffer = room(j.task_bytes > j.answer_bytes ? j.task_bytes : j.answer_bytes);
    double times[repetitions];
    repeat(&j);                                    /* opens connections */
    for (int i = 0; i < repetitions; i++) times[i] = repeat(&j);
    if (j.rank == 0) report(&j, times, repetitions);
    MPI_Finalize();
    return 0;
}
