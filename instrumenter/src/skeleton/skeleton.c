/* Skeleton of an MPI program, written by mpiete: real messages, and computation that only takes its time.
 *
 *   skeleton [-r REPETITIONS] [-s] [-c] [-w ENDING] TRACE...
 *
 * Executes time-independent traces: lines `RANK ACTION NUMBER...`, in one file for all ranks, as `mpiete convert --to skeleton`
 * writes them. Each trace is executed once to open connections, then REPETITIONS times (3). Rank 0 prints a RESULT line for
 * each trace: the time of the slowest rank, and its time outside computation.
 *   -s  sleep instead of computing: where ranks share processors
 *   -c  all ranks read one clock (one computer): they start together to the microsecond, not by a barrier
 *   -w  write what was executed last, with the lengths that computation took: an index TRACEENDING and a file TRACEENDING.RANK
 *       for each rank. So a prediction can be of exactly this execution */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum kind {
    COMPUTE, SEND, RECV, ISEND, IRECV, WAIT, WAITALL, EXCHANGE, BARRIER, BCAST, REDUCE, ALLREDUCE, SCAN, EXSCAN, REDUCE_SCATTER,
    ALLTOALL, ALLTOALLV, ALLGATHER, ALLGATHERV, GATHER, GATHERV, SCATTER, SCATTERV
};

/* An action's name, how many numbers it has at least, how many more for each rank, and the place of its type among them from the
 * end, 0 without one. */
static const struct form { const char *name; enum kind kind; int numbers, per_rank, type; } forms[] = {
    { "compute", COMPUTE, 1, 0, 0 },            /* nanoseconds */
    { "send", SEND, 4, 0, 1 },                  /* to, tag, count, type */
    { "recv", RECV, 4, 0, 1 },
    { "isend", ISEND, 4, 0, 1 },
    { "irecv", IRECV, 4, 0, 1 },
    { "wait", WAIT, 3, 0, 0 },                  /* from, to, tag */
    { "waitall", WAITALL, 0, 0, 0 },
    { "sendRecv", EXCHANGE, 6, 0, 2 },          /* count, to, count, from, type, type */
    { "barrier", BARRIER, 0, 0, 0 },
    { "bcast", BCAST, 3, 0, 1 },                /* count, root, type */
    { "reduce", REDUCE, 4, 0, 1 },              /* count, -, root, type */
    { "allreduce", ALLREDUCE, 3, 0, 1 },        /* count, -, type */
    { "scan", SCAN, 3, 0, 1 },
    { "exscan", EXSCAN, 3, 0, 1 },
    { "reducescatter", REDUCE_SCATTER, 2, 1, 1 },   /* counts, -, type */
    { "alltoall", ALLTOALL, 4, 0, 2 },          /* count, count, type, type */
    { "alltoallv", ALLTOALLV, 4, 2, 2 },        /* sum, counts, sum, counts, type, type */
    { "allgather", ALLGATHER, 4, 0, 2 },
    { "allgatherv", ALLGATHERV, 3, 1, 2 },      /* count, counts, type, type */
    { "gather", GATHER, 5, 0, 2 },              /* count, count, root, type, type */
    { "gatherv", GATHERV, 4, 1, 2 },            /* count, counts, root, type, type */
    { "scatter", SCATTER, 5, 0, 2 },
    { "scatterv", SCATTERV, 4, 1, 2 },          /* counts, count, root, type, type */
};

/* A computation's wanted length and the one that it took, both in nanoseconds. */
struct action { const struct form *form; MPI_Datatype type; double nanoseconds, took; int *numbers; };
struct list { struct action *actions; int count; };
/* A transfer that was started: from, to, tag. */
struct pending { MPI_Request request; int ends[3]; };

static int rank, ranks, sleeps, common_clock;
static char *out, *in;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static void sleep_until(double when)
{
    struct timespec t = { (time_t)when, (long)((when - (time_t)when) * 1e9) };
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) ;
}

/* Computes so many seconds; returns how many it took, which are a little more. */
static double compute(double seconds)
{
    double begin = now();
    if (sleeps) sleep_until(begin + seconds);
    else while (now() - begin < seconds) ;
    return now() - begin;
}

static void *room(size_t bytes)
{
    char *room = malloc(bytes + 1);
    if (!room) { fprintf(stderr, "skeleton: no memory for %zu bytes\n", bytes); MPI_Abort(MPI_COMM_WORLD, 1); }
    /* No page is touched for the first time while the clock runs. */
    return memset(room, 0, bytes + 1);
}

static void refuse(const char *path, int line, const char *found)
{
    fprintf(stderr, "skeleton: %s:%d: found '%s', expected an action that skeleton.c lists, with its numbers\n", path, line, found);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* By SimGrid's numbers. */
static MPI_Datatype type_of(int number)
{
    const MPI_Datatype types[] = { MPI_DOUBLE, MPI_INT, MPI_CHAR, MPI_SHORT, MPI_LONG, MPI_FLOAT, MPI_BYTE };
    return number >= 0 && number < (int)(sizeof types / sizeof *types) ? types[number] : MPI_BYTE;
}

/* Reads what this rank does; the longest buffer in bytes goes to `most`. */
static struct list read_trace(const char *path, size_t *most)
{
    struct list list = { NULL, 0 };
    FILE *file = fopen(path, "r");
    char *line = NULL, *at, *end;
    size_t length = 0;
    int places = 0;
    if (!file) refuse(path, 0, "no file");
    for (int number = 1; getline(&line, &length, file) > 0; number++) {
        char name[32];
        int skipped = 0, count = 0, whose = -1, size;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%d %31s%n", &whose, name, &skipped) < 2) refuse(path, number, line);
        if (whose != rank || !strcmp(name, "init") || !strcmp(name, "finalize")) continue;
        struct action a = { NULL, MPI_BYTE, 0, 0, room((strlen(line) / 2 + 1) * sizeof(int)) };
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) if (!strcmp(name, forms[i].name)) a.form = &forms[i];
        if (!a.form) refuse(path, number, line);
        for (at = line + skipped; ; at = end, count++) {
            double value = strtod(at, &end);
            if (end == at) break;
            if (count == 0) a.nanoseconds = value;
            a.numbers[count] = (int)value;
        }
        if (count < a.form->numbers + a.form->per_rank * ranks) refuse(path, number, line);
        if (a.form->type) a.type = type_of(a.numbers[count - a.form->type]);
        MPI_Type_size(a.type, &size);
        /* No buffer is longer than all numbers together, times the ranks for what has one number for each. */
        size_t all = 0;
        for (int i = 0; i < count && a.form->type; i++) all += a.numbers[i] > 0 ? a.numbers[i] : 0;
        all *= size * (size_t)(a.form->per_rank || a.form->kind < ALLTOALL ? 1 : ranks);
        if (all > *most) *most = all;
        if (list.count == places) {
            places = 2 * places + 64;
            list.actions = realloc(list.actions, places * sizeof *list.actions);
            if (!list.actions) refuse(path, number, "more lines than memory");
        }
        list.actions[list.count++] = a;
    }
    free(line);
    fclose(file);
    return list;
}

/* Where each rank's part begins in a buffer. */
static void places_of(const int *counts, int *places)
{
    places[0] = 0;
    for (int i = 1; i < ranks; i++) places[i] = places[i - 1] + counts[i - 1];
}

static void start(struct pending *pending, int *count, int from, int to, int tag)
{
    struct pending *last = &pending[*count];
    last->ends[0] = from, last->ends[1] = to, last->ends[2] = tag;
    ++*count;
}

/* Ends the oldest transfer with these ends. */
static void wait_for(struct pending *pending, int *count, const int *ends)
{
    for (int i = 0; i < *count; i++) if (!memcmp(pending[i].ends, ends, sizeof pending[i].ends)) {
        MPI_Wait(&pending[i].request, MPI_STATUS_IGNORE);
        memmove(&pending[i], &pending[i + 1], (--*count - i) * sizeof *pending);
        return;
    }
}

static void wait_for_all(struct pending *pending, int *count)
{
    for (int i = 0; i < *count; i++) MPI_Wait(&pending[i].request, MPI_STATUS_IGNORE);
    *count = 0;
}

static void collective(const struct action *a, int *places, int *more)
{
    const int *n = a->numbers, count = n[0], P = ranks;
    MPI_Datatype t = a->type;
    /* Bytes and characters have no sum. */
    MPI_Op op = t == MPI_BYTE || t == MPI_CHAR ? MPI_BOR : MPI_SUM;
    if (t == MPI_CHAR) t = MPI_BYTE;
    switch (a->form->kind) {
    case BARRIER: MPI_Barrier(MPI_COMM_WORLD); break;
    case BCAST: MPI_Bcast(out, count, t, n[1], MPI_COMM_WORLD); break;
    case REDUCE: MPI_Reduce(out, in, count, t, op, n[2], MPI_COMM_WORLD); break;
    case ALLREDUCE: MPI_Allreduce(out, in, count, t, op, MPI_COMM_WORLD); break;
    case SCAN: MPI_Scan(out, in, count, t, op, MPI_COMM_WORLD); break;
    case EXSCAN: MPI_Exscan(out, in, count, t, op, MPI_COMM_WORLD); break;
    case REDUCE_SCATTER: MPI_Reduce_scatter(out, in, n, t, op, MPI_COMM_WORLD); break;
    case ALLTOALL: MPI_Alltoall(out, count, t, in, n[1], t, MPI_COMM_WORLD); break;
    case ALLTOALLV:
        places_of(n + 1, places), places_of(n + 2 + P, more);
        MPI_Alltoallv(out, n + 1, places, t, in, n + 2 + P, more, t, MPI_COMM_WORLD);
        break;
    case ALLGATHER: MPI_Allgather(out, count, t, in, n[1], t, MPI_COMM_WORLD); break;
    case ALLGATHERV:
        places_of(n + 1, places);
        MPI_Allgatherv(out, count, t, in, n + 1, places, t, MPI_COMM_WORLD);
        break;
    case GATHER: MPI_Gather(out, count, t, in, n[1], t, n[2], MPI_COMM_WORLD); break;
    case GATHERV:
        places_of(n + 1, places);
        MPI_Gatherv(out, count, t, in, n + 1, places, t, n[1 + P], MPI_COMM_WORLD);
        break;
    case SCATTER: MPI_Scatter(out, count, t, in, n[1], t, n[2], MPI_COMM_WORLD); break;
    case SCATTERV:
        places_of(n, places);
        MPI_Scatterv(out, n, places, t, in, n[P], t, n[1 + P], MPI_COMM_WORLD);
        break;
    default: break;
    }
}

/* Returns the seconds of computation. */
static double execute(struct list *list, struct pending *pending, int *places, int *more)
{
    double computed = 0;
    int count = 0;
    for (int i = 0; i < list->count; i++) {
        struct action *a = &list->actions[i];
        const int *n = a->numbers;
        MPI_Request *request = &pending[count].request;
        switch (a->form->kind) {
        case COMPUTE:
            a->took = 1e9 * compute(a->nanoseconds * 1e-9);
            computed += 1e-9 * a->took;
            break;
        case SEND: MPI_Send(out, n[2], a->type, n[0], n[1], MPI_COMM_WORLD); break;
        case RECV: MPI_Recv(in, n[2], a->type, n[0], n[1], MPI_COMM_WORLD, MPI_STATUS_IGNORE); break;
        case ISEND:
            MPI_Isend(out, n[2], a->type, n[0], n[1], MPI_COMM_WORLD, request);
            start(pending, &count, rank, n[0], n[1]);
            break;
        case IRECV:     /* Receives share a buffer: what is in it does not matter. */
            MPI_Irecv(in, n[2], a->type, n[0], n[1], MPI_COMM_WORLD, request);
            start(pending, &count, n[0], rank, n[1]);
            break;
        case WAIT: wait_for(pending, &count, n); break;
        case WAITALL: wait_for_all(pending, &count); break;
        case EXCHANGE:
            MPI_Sendrecv(out, n[0], a->type, n[1], 0, in, n[2], a->type, n[3], 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            break;
        default: collective(a, places, more);
        }
    }
    wait_for_all(pending, &count);
    return computed;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All ranks start at one time of the common clock, or leave a barrier. */
static double start_together(void)
{
    double start, margin = 0.05;
    MPI_Barrier(MPI_COMM_WORLD);
    if (!common_clock) { MPI_Barrier(MPI_COMM_WORLD); return now(); }
    start = now();
    MPI_Barrier(MPI_COMM_WORLD);
    start = now() + margin + 2 * (now() - start);
    MPI_Bcast(&start, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    sleep_until(start);
    return start;
}

static double largest(double x)
{
    double result;
    MPI_Allreduce(&x, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return result;
}

/* Writes the rank's lines of a trace, with the computation of its last execution. */
static void write_execution(const char *path, const char *ending, const struct list *list)
{
    char name[4096], action[32], *line = NULL;
    size_t length = 0;
    int skipped, whose, next = 0;
    if (snprintf(name, sizeof name, "%s%s.%d", path, ending, rank) >= (int)sizeof name) refuse(path, 0, ending);
    FILE *from = fopen(path, "r"), *to = fopen(name, "w");
    if (!from || !to) refuse(name, 0, "no file");
    while (getline(&line, &length, from) > 0) {
        if (sscanf(line, "%d %31s%n", &whose, action, &skipped) < 2 || whose != rank) continue;
        int listed = strcmp(action, "init") && strcmp(action, "finalize");
        const struct action *a = listed ? &list->actions[next++] : NULL;
        if (a && a->form->kind == COMPUTE) fprintf(to, "%d compute %.3f\n", rank, a->took);
        else fputs(line, to);
    }
    free(line);
    fclose(from);
    if (fclose(to)) refuse(name, 0, "no space for the file");
    if (rank > 0) return;
    snprintf(name, sizeof name, "%s%s", path, ending);
    FILE *index = fopen(name, "w");
    const char *last = strrchr(name, '/');
    for (int i = 0; index && i < ranks; i++) fprintf(index, "%s.%d\n", last ? last + 1 : name, i);
    if (!index || fclose(index)) refuse(name, 0, "no file");
}

/* `ending` is NULL unless executions are written. */
static void measure(const char *path, int repetitions, const char *ending)
{
    size_t most = 0;
    struct list list = read_trace(path, &most);
    struct pending *pending = room((list.count + 1) * sizeof *pending);
    int *places = room(ranks * sizeof *places), *more = room(ranks * sizeof *more);
    double times[repetitions], in_mpi[repetitions];
    most = largest(most);
    out = room(most), in = room(most);
    execute(&list, pending, places, more);
    for (int i = 0; i < repetitions; i++) {
        double start = start_together();
        double computed = execute(&list, pending, places, more);
        double mine = now() - start;
        times[i] = largest(mine);
        in_mpi[i] = largest(mine == times[i] ? mine - computed : 0);
    }
    if (rank == 0) {
        qsort(times, repetitions, sizeof *times, ascending);
        qsort(in_mpi, repetitions, sizeof *in_mpi, ascending);
        printf("RESULT program=skeleton trace=%s ranks=%d median=%.7f min=%.7f max=%.7f in_mpi=%.7f\n", path, ranks,
               times[repetitions / 2], times[0], times[repetitions - 1], in_mpi[repetitions / 2]);
    }
    fflush(stdout);
    if (ending) write_execution(path, ending, &list);
    for (int i = 0; i < list.count; i++) free(list.actions[i].numbers);
    free(list.actions), free(pending), free(places), free(more), free(out), free(in);
}

int main(int argc, char **argv)
{
    int option, repetitions = 3;
    const char *ending = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while ((option = getopt(argc, argv, "r:scw:")) != -1) switch (option) {
        case 'r': repetitions = atoi(optarg); break;
        case 's': sleeps = 1; break;
        case 'c': common_clock = 1; break;
        case 'w': ending = optarg; break;
        default: repetitions = 0;
    }
    if (repetitions < 1 || optind == argc) {
        if (rank == 0) fprintf(stderr, "usage: skeleton [-r REPETITIONS] [-s] [-c] [-w ENDING] TRACE...\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int t = optind; t < argc; t++) measure(argv[t], repetitions, ending);
    MPI_Finalize();
    return 0;
}
