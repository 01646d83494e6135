/* skeleton PATTERN [-n iterations] [-s bytes] [-c compute_us] [-r repetitions]
 * Communication skeletons of parallel programs: the messages are real, the computing is sleep. PATTERN is a row of
 * the table below. The time is that of the last rank since a common start. */
#include "bench.h"

struct work {
    int rank, ranks, north, south, west, east;      /* neighbours in a 2-D grid that is not periodic */
    long bytes;
    double pause;
    char *out, *in;
};

static void exchange(const struct work *w, int to, int from)
{
    MPI_Sendrecv(w->out, w->bytes, MPI_BYTE, to, 1, w->in, w->bytes, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ring(const struct work *w, int iteration)
{
    (void)iteration;
    compute(w->pause);
    exchange(w, (w->rank + 1) % w->ranks, (w->rank + w->ranks - 1) % w->ranks);
}

static void halo(const struct work *w, int iteration)
{
    (void)iteration;
    MPI_Request request[8];
    const int neighbour[4] = { w->north, w->south, w->west, w->east };
    for (int k = 0; k < 4; k++)
        MPI_Irecv(w->in + k * w->bytes, w->bytes, MPI_BYTE, neighbour[k], 2, MPI_COMM_WORLD, &request[k]);
    for (int k = 0; k < 4; k++)
        MPI_Isend(w->out, w->bytes, MPI_BYTE, neighbour[k], 2, MPI_COMM_WORLD, &request[4 + k]);
    MPI_Waitall(8, request, MPI_STATUSES_IGNORE);
    compute(w->pause);
}

static void doubling(const struct work *w, int iteration)
{
    (void)iteration;
    compute(w->pause);
    for (int k = 1; k < w->ranks; k *= 2) exchange(w, w->rank ^ k, w->rank ^ k);
}

static void pairwise(const struct work *w, int iteration)
{
    (void)iteration;
    compute(w->pause);
    for (int k = 1; k < w->ranks; k++) exchange(w, (w->rank + k) % w->ranks, (w->rank + w->ranks - k) % w->ranks);
}

static void pairxor(const struct work *w, int iteration)
{
    (void)iteration;
    compute(w->pause);
    for (int k = 1; k < w->ranks; k++) exchange(w, w->rank ^ k, w->rank ^ k);
}

static void wavefront(const struct work *w, int iteration)
{
    int forward = iteration % 2 == 0, n = w->bytes;
    for (int plane = 0; plane < 8; plane++) {
        MPI_Recv(w->in, n, MPI_BYTE, forward ? w->north : w->south, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(w->in, n, MPI_BYTE, forward ? w->west : w->east, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        compute(w->pause);
        MPI_Send(w->out, n, MPI_BYTE, forward ? w->south : w->north, 3, MPI_COMM_WORLD);
        MPI_Send(w->out, n, MPI_BYTE, forward ? w->east : w->west, 3, MPI_COMM_WORLD);
    }
}

static void alltoall(const struct work *w, int iteration)
{
    (void)iteration;
    compute(w->pause);
    MPI_Alltoall(w->out, w->bytes, MPI_BYTE, w->in, w->bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static void allreduce(const struct work *w, int iteration)
{
    (void)iteration;
    compute(w->pause);
    MPI_Allreduce(w->out, w->in, w->bytes / sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void broadcast(const struct work *w, int iteration)
{
    (void)iteration;
    compute(w->pause);
    MPI_Bcast(w->out, w->bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static const struct pattern { const char *name; void (*iterate)(const struct work *, int iteration); int power_of_two; } patterns[] = {
    { "ring", ring, 0 },           /* MPI_Sendrecv to the right, from the left */
    { "halo", halo, 0 },           /* up to 4 neighbours of the grid, Isend, Irecv, Waitall; computes afterwards */
    { "doubling", doubling, 1 },   /* recursive doubling exchange */
    { "pairwise", pairwise, 0 },   /* step k: MPI_Sendrecv to rank+k, from rank-k */
    { "pairxor", pairxor, 1 },     /* step k: MPI_Sendrecv with rank^k */
    { "wavefront", wavefront, 0 }, /* 8 planes: receive north, west; compute; send south, east; then backwards */
    { "alltoall", alltoall, 0 },
    { "allreduce", allreduce, 0 }, /* sum of doubles */
    { "bcast", broadcast, 0 },     /* from rank 0 */
};

static const struct pattern *pattern_of(const char *name, int ranks)
{
    const int count = sizeof patterns / sizeof *patterns;
    for (int i = 0; i < count; i++) {
        int fits = !patterns[i].power_of_two || (ranks & (ranks - 1)) == 0;
        if (!strcmp(name, patterns[i].name) && fits) return &patterns[i];
    }
    usage("skeleton PATTERN ...: no such pattern, or it needs a power of 2 ranks");
    return NULL;
}

static void place(struct work *w)
{
    int grid[2] = { 0, 0 };
    MPI_Comm_rank(MPI_COMM_WORLD, &w->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &w->ranks);
    MPI_Dims_create(w->ranks, 2, grid);
    int row = w->rank / grid[1], column = w->rank % grid[1];
    w->north = row > 0 ? w->rank - grid[1] : MPI_PROC_NULL;
    w->south = row < grid[0] - 1 ? w->rank + grid[1] : MPI_PROC_NULL;
    w->west = column > 0 ? w->rank - 1 : MPI_PROC_NULL;
    w->east = column < grid[1] - 1 ? w->rank + 1 : MPI_PROC_NULL;
}

struct measured { double time, compute_mean, compute_longest; };

static struct measured measure(const struct pattern *p, const struct work *w, int iterations)
{
    memset(&computed, 0, sizeof computed);
    double start = common_start();
    for (int i = 0; i < iterations; i++) p->iterate(w, i);
    double mine = now() - start, mean = computed.count ? computed.seconds / computed.count : 0;
    struct measured m;
    m.time = reduce(mine, MPI_MAX);
    m.compute_mean = reduce(mean, MPI_SUM) / w->ranks;
    m.compute_longest = reduce(computed.longest, MPI_MAX);
    return m;
}

int main(int argc, char **argv)
{
    struct work w = { .bytes = 1024, .pause = 1e-3 };
    int option, iterations = 20, repetitions = 3;
    MPI_Init(&argc, &argv);
    place(&w);
    const struct pattern *pattern = pattern_of(argc > 1 ? argv[1] : "", w.ranks);
    optind = 2;
    while ((option = getopt(argc, argv, "n:s:c:r:")) != -1) switch (option) {
        case 'n': iterations = atoi(optarg); break;
        case 's': w.bytes = atol(optarg); break;
        case 'c': w.pause = atof(optarg) * 1e-6; break;
        case 'r': repetitions = atoi(optarg); break;
        default: usage("skeleton PATTERN [-n iterations] [-s bytes] [-c compute_us] [-r repetitions]");
    }
    size_t size = (size_t)w.bytes * (w.ranks > 4 ? w.ranks : 4);
    w.out = room(size), w.in = room(size);
    double times[repetitions], means[repetitions], longest = 0;
    measure(pattern, &w, iterations);              /* opens connections */
    for (int i = 0; i < repetitions; i++) {
        struct measured m = measure(pattern, &w, iterations);
        times[i] = m.time, means[i] = m.compute_mean;
        if (m.compute_longest > longest) longest = m.compute_longest;
    }
    if (w.rank == 0) {
        printf("RESULT program=skeleton pattern=%s ranks=%d iterations=%d bytes=%ld compute_us=%.0f", pattern->name, w.ranks,
               iterations, w.bytes, w.pause * 1e6);
        print_times(times, repetitions);
        printf(" compute_mean_us=%.1f compute_max_us=%.1f\n", median(means, repetitions) * 1e6, longest * 1e6);
    }
    MPI_Finalize();
    return 0;
}
