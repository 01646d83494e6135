/* pingpong [-S max_bytes] [-n repetitions]
 * Round trips between ranks 0 and 1, one RESULT line per message size: 1 B, 4 B, 16 B ... max_bytes, and the first
 * size that MPICH does not send eagerly. send_us is the time inside MPI_Send. */
#include "bench.h"

#define FIRST_RENDEZVOUS 131072
#define MAX_SIZES 32

static void round_trips(long bytes, int rank, int warm_up, int count, double *trip, double *sending)
{
    char *message = room(bytes);
    for (int i = -warm_up; i < count; i++) {
        double begin = now(), sent = begin;
        if (rank == 0) {
            MPI_Send(message, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            sent = now();
            MPI_Recv(message, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(message, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(message, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
        }
        if (i >= 0) trip[i] = now() - begin, sending[i] = sent - begin;
    }
    free(message);
}

/* A few long messages take as long as many short ones. */
static int repetitions_of(long bytes) { return bytes <= 256 ? 100 : bytes <= 4096 ? 40 : bytes <= 65536 ? 10 : bytes <= 262144 ? 3 : 2; }

/* Many short messages go before a token bucket is in its steady state. */
static int warm_up_of(long bytes) { return bytes <= 256 ? 25 : bytes <= 65536 ? 2 : 1; }

static void measure(long bytes, int rank, int ranks, int count)
{
    double trip[count], sending[count];
    int warm_up = warm_up_of(bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    round_trips(bytes, rank, warm_up, count, trip, sending);
    if (rank != 0) return;
    printf("RESULT program=pingpong pattern=pingpong ranks=%d bytes=%ld warm_up=%d iterations=%d", ranks, bytes, warm_up, count);
    print_times(trip, count);
    printf(" send_us=%.1f\n", median(sending, count) * 1e6);
    fflush(stdout);
}

static int list_sizes(long max, long *sizes)
{
    int count = 0;
    for (long bytes = 1; bytes <= max && count < MAX_SIZES - 1; bytes *= 4) {
        if (bytes / 2 == FIRST_RENDEZVOUS) sizes[count++] = FIRST_RENDEZVOUS;
        sizes[count++] = bytes;
    }
    return count;
}

int main(int argc, char **argv)
{
    int rank, ranks, repetitions = 0, option;
    long max = 1 << 20, sizes[MAX_SIZES];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while ((option = getopt(argc, argv, "n:S:")) != -1) switch (option) {
        case 'n': repetitions = atoi(optarg); break;
        case 'S': max = atol(optarg); break;
        default: usage("pingpong [-S max_bytes] [-n repetitions]");
    }
    if (ranks < 2 || repetitions < 0) usage("pingpong with 2 ranks or more, 1 repetition or more");
    int count = list_sizes(max, sizes);
    for (int i = 0; i < count; i++) measure(sizes[i], rank, ranks, repetitions ? repetitions : repetitions_of(sizes[i]));
    MPI_Finalize();
    return 0;
}
