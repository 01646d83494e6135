/* contention PATTERN [-s bytes] [-k K] [-m messages] [-r repetitions]
 *   incast   ranks 1..K send to rank 0            outcast  rank 0 sends to ranks 1..K
 *   pairs    rank i sends to i + ranks/2, i < K   bidir    the same pairs, both ways at once
 * All messages are posted at one moment; the time is that of the last rank to finish. */
#include "bench.h"

/* The ranks first .. end-1; empty where first == end. */
struct range { int first, end; };
struct partners { struct range to, from; };

static struct partners star(int rank, int k, int inwards)
{
    struct range centre = { 0, 1 }, leaves = { 1, k + 1 }, nobody = { 0, 0 };
    struct range partner = rank == 0 ? leaves : rank <= k ? centre : nobody;
    int sends = rank == 0 ? !inwards : inwards;
    return sends ? (struct partners){ .to = partner } : (struct partners){ .from = partner };
}

static struct partners pair(int rank, int half, int k, int both_ways)
{
    int low = rank < k, high = rank >= half && rank - half < k;
    int partner = low ? rank + half : rank - half;
    struct range it = { partner, partner + 1 }, nobody = { 0, 0 };
    return (struct partners){ .to = low || (high && both_ways) ? it : nobody,
                              .from = high || (low && both_ways) ? it : nobody };
}

static struct partners partners_of(const char *pattern, int rank, int ranks, int k)
{
    int half = ranks / 2;
    if (!strcmp(pattern, "incast")) return star(rank, k, 1);
    if (!strcmp(pattern, "outcast")) return star(rank, k, 0);
    if (!strcmp(pattern, "pairs")) return pair(rank, half, k, 0);
    if (!strcmp(pattern, "bidir")) return pair(rank, half, k, 1);
    usage("contention incast|outcast|pairs|bidir [-s bytes] [-k K] [-m messages] [-r repetitions]");
    return (struct partners){ .to = { 0, 0 } };
}

/* Posts everything and waits for it; returns the number of requests. */
static int exchange(struct partners with, int messages, long bytes, char *in, const char *out, MPI_Request *request)
{
    int count = 0;
    for (int p = with.from.first; p < with.from.end; p++) for (int m = 0; m < messages; m++, count++)
        MPI_Irecv(in + (size_t)bytes * count, bytes, MPI_BYTE, p, 7, MPI_COMM_WORLD, &request[count]);
    for (int m = 0; m < messages; m++) for (int p = with.to.first; p < with.to.end; p++, count++)
        MPI_Isend(out, bytes, MPI_BYTE, p, 7, MPI_COMM_WORLD, &request[count]);
    MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    return count;
}

static void measure(struct partners with, int messages, long bytes, int repetitions, double *times)
{
    int received = (with.from.end - with.from.first) * messages, sent = (with.to.end - with.to.first) * messages;
    char *in = room((size_t)bytes * received), *out = room(bytes);
    MPI_Request request[received + sent + 1];
    for (int i = -1; i < repetitions; i++) {
        double start = common_start();
        int count = exchange(with, messages, bytes, in, out, request);
        double time = reduce(count ? now() - start : 0, MPI_MAX);
        if (i >= 0) times[i] = time;
    }
    free(in);
    free(out);
}

int main(int argc, char **argv)
{
    int rank, ranks, option, k = -1, messages = 1, repetitions = 5;
    long bytes = 65536;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *pattern = argc > 1 ? argv[1] : "";
    optind = 2;
    while ((option = getopt(argc, argv, "s:k:m:r:")) != -1) switch (option) {
        case 's': bytes = atol(optarg); break;
        case 'k': k = atoi(optarg); break;
        case 'm': messages = atoi(optarg); break;
        case 'r': repetitions = atoi(optarg); break;
        default: usage("contention PATTERN [-s bytes] [-k K] [-m messages] [-r repetitions]");
    }
    int most = strstr(pattern, "cast") ? ranks - 1 : ranks / 2;
    if (k < 0 || k > most) k = most;
    double times[repetitions];
    measure(partners_of(pattern, rank, ranks, k), messages, bytes, repetitions, times);
    if (rank == 0) {
        printf("RESULT program=contention pattern=%s ranks=%d k=%d bytes=%ld messages=%d", pattern, ranks, k, bytes, messages);
        print_times(times, repetitions);
        printf("\n");
    }
    MPI_Finalize();
    return 0;
}
