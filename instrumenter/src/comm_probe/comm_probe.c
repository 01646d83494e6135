/* Network probe of mpiete in C: the same plan and the same lines as comm_probe.f90, whose head describes them. For
 * machines without a Fortran compiler. */
#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Longest message, and the distance of sizes beside 0 and the powers of two, in bytes. */
static const int64_t largest = @LARGEST@LL, step = @STEP@LL;
/* Repetitions of one measurement: fewer where they would take longer than this. */
enum { most_repetitions = @REPETITIONS@, least_repetitions = most_repetitions < 5 ? most_repetitions : 5 };
static const double seconds_per_size = @MILLISECONDS@ * 1e-3;
/* Executions before the first that counts; measurements of one kind at one size at once; rounds through sizes that stand
 * out; sizes that are looked at again. */
enum { warm_ups = 3, most_attempts = 3, most_rounds = 3, most_sizes = 4096 };
static const double wide = 0.25, standing_out = 1.15;

enum {
    PING_PONG, RECEIVE, BLOCKING_SEND, TO_SELF, EXCHANGE, LATE_SEND, LATE_RECEIVE, NONBLOCKING_SEND, NONBLOCKING_RECEIVE,
    WAIT, FLOOD, INCAST, BEHIND, DELAYED, POLL, KINDS
};
static const char *const kind_names[KINDS] = {
    "ping-pong", "receive", "blocking-send", "to-self", "exchange", "blocking-send", "late-receive", "nonblocking-send",
    "nonblocking-receive", "wait", "flood", "incast", "behind", "delayed", "poll"
};
enum { exchanges = 4, flood_length = 16, flood_start = 4, polls = 16 };
static const int64_t first_halfway = 128, last_halfway = 262144, longest_flood = 65536;
static const int64_t incast_sizes[] = { 4096, 16384, 65536 };
enum { message_tag = 7, sign_tag = 8, reduced_bytes = 65536, most_credits = 4096 };
static const int64_t longest_credit = 4096, most_block_bytes = 67108864;
static const double credit_delay = 1.0;
static const int collective_sizes[] = { 8, 32, 128, 512, 2048, 8192, 32768, 131072, 524288 };
static const char *const collective_names[] = {
    "barrier", "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall", "reduce-scatter", "scan",
    "exclusive-scan"
};
#define COUNT(ARRAY) ((int) (sizeof(ARRAY) / sizeof *(ARRAY)))

static char *buffer, *other;
static double times[most_repetitions], slowest[most_repetitions];
static int64_t bytes;
static int rank, ranks, elements, of_collectives;
static MPI_Datatype datatype;
static double flight = 1e300;
static char link_class[64];
/* Medians by kind and size, on rank 0. */
static int64_t sizes[most_sizes];
static double medians[KINDS][most_sizes];
static int size_count;
/* Whether sends of the present size, and those before, do without their receive; the longest that does and the shortest
 * that does not, if there are any. */
static int is_eager = 1;
static int64_t longest_eager = -1, shortest_waiting = -1;
/* How long the other side computes, in seconds, the same on all ranks; and for messages of about the eager limit. */
static double delay, limit_delay;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Ends the run on all ranks, all of which come here, with a sentence from one. */
static void refuse(const char *reason)
{
    if (rank == 0)
        fprintf(stderr, "comm_probe: %s\n", reason);
    MPI_Finalize();
    exit(2);
}

/* What rank 0 says. */
static double shared(double value)
{
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return value;
}
static int agreed(int opinion) { return shared(opinion) > 0.5; }

static int64_t nanoseconds(double seconds) { return (int64_t) (seconds * 1e9 + 0.5); }

/* --- messages */
static void send_message(void) { MPI_Send(buffer, elements, datatype, 1 - rank, message_tag, MPI_COMM_WORLD); }
static void receive_message(void)
{
    MPI_Recv(other, elements, datatype, 1 - rank, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
static void give_sign(void) { MPI_Send(buffer, 0, MPI_BYTE, 1 - rank, sign_tag, MPI_COMM_WORLD); }
static void await_sign(void)
{
    MPI_Recv(other, 0, MPI_BYTE, 1 - rank, sign_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Outside MPI for the delay. */
static void compute(void)
{
    double until = MPI_Wtime() + delay;
    while (MPI_Wtime() < until)
        ;
}

static double empty_round_trip(void)
{
    double began = MPI_Wtime();
    if (rank == 0) {
        give_sign();
        await_sign();
    } else {
        await_sign();
        give_sign();
    }
    return MPI_Wtime() - began;
}

static double round_trip(void)
{
    double began = MPI_Wtime();
    if (rank == 0) {
        send_message();
        receive_message();
    } else {
        receive_message();
        send_message();
    }
    return MPI_Wtime() - began;
}

static double delayed_time(void)
{
    empty_round_trip();
    double began = MPI_Wtime();
    if (rank == 0) {
        send_message();
        compute();
        receive_message();
    } else {
        receive_message();
        send_message();
    }
    return MPI_Wtime() - began;
}

static double receive_time(void)
{
    double began = MPI_Wtime();
    if (rank == 0) {
        await_sign();
        send_message();
    } else {
        give_sign();
        receive_message();
    }
    double passed = MPI_Wtime() - began - flight;
    return passed > 0 ? passed : 0;
}

/* A send to rank 1, which receives at once or computes before. */
static double send_time(int is_late)
{
    if (rank == 0) {
        await_sign();
        double began = MPI_Wtime();
        send_message();
        return MPI_Wtime() - began;
    }
    give_sign();
    if (is_late)
        compute();
    receive_message();
    return 0;
}

static double self_time(void)
{
    MPI_Request requests[2];
    MPI_Status statuses[2];
    double began = MPI_Wtime();
    MPI_Irecv(other, elements, datatype, 0, message_tag, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(buffer, elements, datatype, 0, message_tag, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    return MPI_Wtime() - began;
}

static double exchange_time(void)
{
    empty_round_trip();
    double began = MPI_Wtime();
    for (int i = 0; i < exchanges; i++)
        MPI_Sendrecv(buffer, elements, datatype, 1 - rank, message_tag, other, elements, datatype, 1 - rank, message_tag,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return (MPI_Wtime() - began) / exchanges;
}

static double late_receive_time(void)
{
    if (rank == 0) {
        await_sign();
        send_message();
        return 0;
    }
    give_sign();
    compute();
    double began = MPI_Wtime();
    receive_message();
    return MPI_Wtime() - began;
}

static double started_send_time(int of_wait)
{
    if (rank != 0) {
        give_sign();
        receive_message();
        return 0;
    }
    MPI_Request request;
    await_sign();
    double began = MPI_Wtime();
    MPI_Isend(buffer, elements, datatype, 1, message_tag, MPI_COMM_WORLD, &request);
    double started = MPI_Wtime() - began;
    if (of_wait)
        compute();
    began = MPI_Wtime();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return of_wait ? MPI_Wtime() - began : started;
}

static double started_receive_time(void)
{
    if (rank == 0) {
        await_sign();
        send_message();
        return 0;
    }
    MPI_Request request;
    double began = MPI_Wtime();
    MPI_Irecv(other, elements, datatype, 0, message_tag, MPI_COMM_WORLD, &request);
    double passed = MPI_Wtime() - began;
    give_sign();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return passed;
}

/* Rank 0 sends when rank 1 has tested, so that the tests find nothing. */
static double poll_time(void)
{
    if (rank == 0) {
        await_sign();
        send_message();
        return 0;
    }
    MPI_Request request;
    MPI_Irecv(other, elements, datatype, 0, message_tag, MPI_COMM_WORLD, &request);
    double began = MPI_Wtime();
    for (int i = 0; i < polls; i++) {
        int flag;
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    double passed = (MPI_Wtime() - began) / polls;
    give_sign();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return passed;
}

/* From the first send of so many to the sign that the last has been received. */
static double flood_of(int messages)
{
    empty_round_trip();
    double began = MPI_Wtime();
    for (int i = 0; i < messages; i++) {
        if (rank == 0)
            send_message();
        else
            receive_message();
    }
    if (rank == 0)
        await_sign();
    else
        give_sign();
    return MPI_Wtime() - began;
}

static double flood_time(void)
{
    double all = flood_of(flood_start + flood_length), further = all - flood_of(flood_start);
    return further > 0 ? further / flood_length : 0;
}

/* From the sign to all other ranks until the messages of all have been received. */
static double incast_time(void)
{
    double began = MPI_Wtime();
    if (rank == 0) {
        for (int to = 1; to < ranks; to++)
            MPI_Send(buffer, 0, MPI_BYTE, to, sign_tag, MPI_COMM_WORLD);
        for (int from = 1; from < ranks; from++)
            MPI_Recv(other, elements, datatype, from, message_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(other, 0, MPI_BYTE, 0, sign_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, elements, datatype, 0, message_tag, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - began;
}

/* An empty round trip with rank 1 makes sure that the long message is on its way before rank 2 has its turn. */
static double behind_time(void)
{
    MPI_Request request;
    double began, passed = 0;
    if (rank == 0) {
        await_sign();
        MPI_Isend(buffer, elements, datatype, 1, message_tag, MPI_COMM_WORLD, &request);
        await_sign();
        began = MPI_Wtime();
        MPI_Send(buffer, 0, MPI_BYTE, 2, sign_tag, MPI_COMM_WORLD);
        MPI_Recv(other, 0, MPI_BYTE, 2, sign_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        passed = MPI_Wtime() - began;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        MPI_Irecv(other, elements, datatype, 0, message_tag, MPI_COMM_WORLD, &request);
        give_sign();
        /* Until the request, if there is one, has come and been granted; rank 0 is inside MPI all the time. */
        double until = MPI_Wtime() + delay / 4;
        while (MPI_Wtime() < until) {
            int flag;
            MPI_Iprobe(MPI_ANY_SOURCE, sign_tag + 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
        give_sign();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(other, 0, MPI_BYTE, 0, sign_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, 0, MPI_BYTE, 0, sign_tag, MPI_COMM_WORLD);
    }
    return passed;
}

static double one_time(int what)
{
    if (what == INCAST)
        return incast_time();
    if (what == BEHIND)
        return rank < 3 ? behind_time() : 0;
    if (rank > 1)
        return 0;
    switch (what) {
    case PING_PONG: return round_trip() / 2;
    case RECEIVE: return receive_time();
    case BLOCKING_SEND: return send_time(0);
    case TO_SELF: return rank == 0 ? self_time() : 0;
    case EXCHANGE: return exchange_time();
    case DELAYED: return delayed_time();
    case LATE_SEND: return send_time(1);
    case LATE_RECEIVE: return late_receive_time();
    case NONBLOCKING_SEND: return started_send_time(0);
    case WAIT: return started_send_time(1);
    case NONBLOCKING_RECEIVE: return started_receive_time();
    case POLL: return poll_time();
    default: return flood_time();
    }
}

/* --- one measurement */
struct found {
    double median, minimum, spread;
};

static int ascending(const void *x, const void *y)
{
    double one = *(const double *) x, two = *(const double *) y;
    return (one > two) - (one < two);
}

/* Of the first times. */
static struct found summarise(int count)
{
    qsort(times, count, sizeof *times, ascending);
    struct found found = { times[(count + 1) / 2 - 1], times[0], times[(3 * count + 3) / 4 - 1] - times[(count + 3) / 4 - 1] };
    return found;
}

/* The fastest seen so far, looked for anew at every size: one that other programs disturb would be taken off all that
 * follows. */
static void improve_flight(void)
{
    for (int i = 0; i < 20 && rank < 2; i++) {
        double trip = empty_round_trip() / 2;
        flight = trip < flight ? trip : flight;
    }
    flight = shared(flight);
}

/* Rank 0 decides, so that both repeat equally often. */
static int agreed_repetitions(double passed)
{
    double wanted = seconds_per_size / (passed > 1e-9 ? passed : 1e-9);
    int number = (int) shared(wanted < most_repetitions ? wanted : most_repetitions);
    return number > least_repetitions ? number : least_repetitions;
}

static struct found attempt_sample(int what, int *repetitions)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (what == RECEIVE)
        improve_flight();
    double began = MPI_Wtime();
    for (int i = 0; i < warm_ups; i++)
        one_time(what);
    *repetitions = agreed_repetitions((MPI_Wtime() - began) / warm_ups);
    for (int i = 0; i < *repetitions; i++)
        times[i] = one_time(what);
    if (what == RECEIVE || what == LATE_RECEIVE || what == NONBLOCKING_RECEIVE || what == POLL) {
        /* What rank 1 measured goes to rank 0, which prints. */
        if (rank == 0)
            MPI_Recv(times, most_repetitions, MPI_DOUBLE, 1, sign_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else if (rank == 1)
            MPI_Send(times, most_repetitions, MPI_DOUBLE, 0, sign_tag, MPI_COMM_WORLD);
    }
    return summarise(*repetitions);
}

/* The last columns of each line. */
static void print_times(struct found found, int count)
{
    printf(" %lld %lld %lld %d\n", (long long) nanoseconds(found.median), (long long) nanoseconds(found.minimum),
           (long long) nanoseconds(found.spread), count);
    fflush(stdout);
}

static void report(int what, struct found found, int count)
{
    int64_t of_delay = what == LATE_SEND || what == DELAYED ? nanoseconds(delay) : 0;
    printf("mpiete-sample %s %s %d %lld %lld", kind_names[what], what == TO_SELF ? "to-self" : link_class, ranks, (long long) bytes,
           (long long) of_delay);
    print_times(found, count);
}

/* Measures one kind at the present size, and prints the attempt with the smallest median. */
static void sample(int what, int place)
{
    struct found best = { 1e300, 1e300, 1e300 };
    int best_count = 0;
    for (int attempt = 0; attempt < most_attempts; attempt++) {
        int count;
        struct found found = attempt_sample(what, &count);
        if (found.median < best.median) {
            best = found;
            best_count = count;
        }
        if (!agreed(best.spread > wide * best.median))
            break;
    }
    if (rank != 0)
        return;
    report(what, best, best_count);
    if (place >= most_sizes)
        return;
    double *known = &medians[what][place];
    if (*known <= 0 || best.median < *known)
        *known = best.median;
}

/* --- the plan */
static void choose_elements(void)
{
    if (bytes <= INT_MAX) {
        elements = (int) bytes;
        datatype = MPI_BYTE;
    } else {
        elements = (int) (bytes / 8);
        datatype = MPI_DOUBLE;
        bytes = 8 * (int64_t) elements;
    }
}

/* Long enough for a message to arrive meanwhile. */
static void choose_delay(void)
{
    int place = (int) least(size_count, most_sizes) - 1;
    delay = shared(2 * medians[PING_PONG][place] + 2e-4);
}

/* Whether a send that took so long waited for its receive. */
static void judge(double took)
{
    is_eager = !agreed(took > delay / 2);
    if (is_eager) {
        longest_eager = bytes;
    } else {
        shortest_waiting = bytes;
        limit_delay = delay;
    }
}

/* What each side of a message costs, as long as sends do without their receives. */
static void measure_sides(void)
{
    static const int sides[] = { LATE_RECEIVE, NONBLOCKING_SEND, NONBLOCKING_RECEIVE, WAIT };
    choose_delay();
    sample(DELAYED, size_count - 1);
    if (shortest_waiting < 0) {
        sample(LATE_SEND, size_count - 1);
        judge(medians[LATE_SEND][least(size_count, most_sizes) - 1]);
    }
    if (!is_eager)
        return;
    for (int i = 0; i < COUNT(sides); i++)
        sample(sides[i], size_count - 1);
    if (bytes <= longest_flood)
        sample(FLOOD, size_count - 1);
}

/* Between the last size that was sent without its receive and the first that was not. */
static void find_eager_limit(void)
{
    if (longest_eager < 0 || shortest_waiting < 0)
        return;
    delay = limit_delay;
    while (shortest_waiting - longest_eager > 1) {
        int count;
        bytes = (longest_eager + shortest_waiting) / 2;
        choose_elements();
        struct found found = attempt_sample(LATE_SEND, &count);
        judge(found.median);
        if (rank == 0)
            report(LATE_SEND, found, count);
    }
}

/* Messages that meet at one rank. */
static void measure_many(void)
{
    for (int i = 0; i < COUNT(incast_sizes); i++) {
        bytes = incast_sizes[i];
        if (bytes > least(largest, most(longest_eager, 0)))
            continue;
        choose_elements();
        sample(INCAST, most_sizes);
    }
    bytes = least(largest, 1048576);
    choose_elements();
    choose_delay();
    sample(BEHIND, most_sizes);
}

/* Powers of two, sizes halfway between some of them, and multiples of the step, in order, then the longest. */
static int64_t next_size(int64_t size)
{
    int64_t next = 1;
    while (next <= size)
        next *= 2;
    int64_t halfway = next / 4 * 3;
    if (next > first_halfway && next <= last_halfway && halfway > size)
        next = halfway;
    return least(next, least((size / step + 1) * step, largest));
}

/* Measures the sizes again that took longer than a longer message; whether there were any. */
static int measured_again(void)
{
    int again = 0;
    for (int what = PING_PONG; what <= EXCHANGE; what++) {
        /* A send may end before its message is gone, so that long ones need not take longer. */
        if (what == BLOCKING_SEND)
            continue;
        double shortest = 1e300;
        for (int place = (int) least(size_count, most_sizes) - 1; place >= 0; place--) {
            bytes = sizes[place];
            if (agreed(medians[what][place] > standing_out * shortest)) {
                again = 1;
                choose_elements();
                sample(what, place);
            }
            shortest = medians[what][place] < shortest ? medians[what][place] : shortest;
        }
    }
    return again;
}

/* One element, for what a call costs, and many. */
static void reduction(const char *operation, MPI_Op op, const char *name, MPI_Datatype type, int length)
{
    if (rank != 0)
        return;
    int counts[2] = { 1, reduced_bytes / length }, number = most_repetitions < 100 ? most_repetitions : 100;
    /* All bits 0 are the number 0 of every type, which stays as it is. */
    memset(buffer, 0, reduced_bytes);
    memset(other, 0, reduced_bytes);
    for (int i = 0; i < 2; i++) {
        for (int repeated = -warm_ups; repeated < number; repeated++) {
            double began = MPI_Wtime();
            MPI_Reduce_local(buffer, other, counts[i], type, op);
            if (repeated >= 0)
                times[repeated] = MPI_Wtime() - began;
        }
        struct found found = summarise(number);
        printf("mpiete-reduction %s %s %d", operation, name, counts[i]);
        print_times(found, number);
    }
}

static void reductions_of(const char *name, MPI_Datatype type, int length, int is_real)
{
    reduction("sum", MPI_SUM, name, type, length);
    reduction("product", MPI_PROD, name, type, length);
    reduction("maximum", MPI_MAX, name, type, length);
    reduction("minimum", MPI_MIN, name, type, length);
    if (is_real)
        return;
    reduction("bit-and", MPI_BAND, name, type, length);
    reduction("bit-or", MPI_BOR, name, type, length);
}

/* Every operation with every type that programs reduce often. In C, logical operations are those of integers. */
static void measure_reductions(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    reductions_of("real8", MPI_DOUBLE, 8, 1);
    reductions_of("real4", MPI_FLOAT, 4, 1);
    reductions_of("integer4", MPI_INT, 4, 0);
    reductions_of("integer8", MPI_INT64_T, 8, 0);
    reduction("sum", MPI_SUM, "complex16", MPI_C_DOUBLE_COMPLEX, 16);
    reduction("sum", MPI_SUM, "complex8", MPI_C_FLOAT_COMPLEX, 8);
    reduction("logical-and", MPI_LAND, "integer4", MPI_INT, 4);
    reduction("logical-or", MPI_LOR, "integer4", MPI_INT, 4);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 starts a send that waits for its receive, computes, and waits; rank 1 is in MPI_Recv. Either nothing is left to
 * wait for, or all of the transfer. */
static void measure_progress(void)
{
    int number;
    bytes = least(largest, 4 * most(shortest_waiting, 262144));
    if (shortest_waiting < 0 || bytes < shortest_waiting)
        return;
    choose_elements();
    struct found transfer = attempt_sample(PING_PONG, &number);
    delay = shared(2 * transfer.median + 2e-4);
    number = most_repetitions < 20 ? most_repetitions : 20;
    for (int i = -warm_ups; i < number; i++) {
        if (rank == 0) {
            MPI_Request request;
            await_sign();
            MPI_Isend(buffer, elements, datatype, 1, message_tag, MPI_COMM_WORLD, &request);
            compute();
            double began = MPI_Wtime();
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (i >= 0)
                times[i] = MPI_Wtime() - began;
        } else if (rank == 1) {
            give_sign();
            receive_message();
        }
    }
    if (rank != 0)
        return;
    struct found waited = summarise(number);
    printf("# after computing, a send of %lld B waited %lld ns; a message of this length takes %lld ns\n", (long long) bytes,
           (long long) nanoseconds(waited.median), (long long) nanoseconds(transfer.median));
    printf("mpiete-setting progress %s\n", waited.median > transfer.median / 2 ? "in-call" : "asynchronous");
    fflush(stdout);
}

/* Short messages to a rank that computes, until a send waits. There are no more of them than the network carries in a
 * fraction of that time, so that none waits for the network. */
static void measure_credit(void)
{
    int number, has_waited = 0;
    int64_t taken = 0;
    bytes = least(largest, least(longest_credit, longest_eager));
    if (bytes < 1)
        return;
    choose_elements();
    struct found flooded = attempt_sample(FLOOD, &number);
    double fitting = credit_delay / 8 / (flooded.median > 1e-9 ? flooded.median : 1e-9);
    int messages = (int) shared(fitting < most_credits ? fitting : most_credits);
    delay = credit_delay;
    if (rank == 0) {
        await_sign();
        for (int i = 0; i < messages; i++) {
            double began = MPI_Wtime();
            send_message();
            if (!has_waited && MPI_Wtime() - began > credit_delay / 4) {
                has_waited = 1;
                taken = i * bytes;
            }
        }
    } else if (rank == 1) {
        give_sign();
        compute();
        for (int i = 0; i < messages; i++)
            receive_message();
    }
    if (rank != 0)
        return;
    if (has_waited) {
        printf("mpiete-setting eager-credit %lld\n", (long long) taken);
    } else {
        printf("# a receiver that computes took %lld B, all that were sent\n", (long long) (messages * bytes));
        printf("mpiete-setting eager-credit unlimited\n");
    }
    fflush(stdout);
}

/* All lengths, those that stand out again, and what else a platform needs. */
static void measure_messages(void)
{
    bytes = 0;
    for (;;) {
        choose_elements();
        if (size_count < most_sizes)
            sizes[size_count] = bytes;
        size_count++;
        for (int what = PING_PONG; what <= EXCHANGE; what++)
            sample(what, size_count - 1);
        measure_sides();
        if (bytes >= largest)
            break;
        bytes = next_size(bytes);
    }
    for (int round = 0; round < most_rounds && measured_again(); round++)
        ;
    find_eager_limit();
    if (ranks > 2)
        measure_many();
    bytes = 0;
    choose_elements();
    sample(POLL, most_sizes);
    measure_reductions();
    measure_progress();
    measure_credit();
}

/* --- collectives */
static int fits(int length)
{
    return length <= most(largest, 8) && (int64_t) length * ranks <= most_block_bytes;
}

static void perform(int kind, int count)
{
    MPI_Datatype type = MPI_DOUBLE;
    MPI_Comm world = MPI_COMM_WORLD;
    switch (kind) {
    case 0: MPI_Barrier(world); break;
    case 1: MPI_Bcast(buffer, count, type, 0, world); break;
    case 2: MPI_Reduce(buffer, other, count, type, MPI_SUM, 0, world); break;
    case 3: MPI_Allreduce(buffer, other, count, type, MPI_SUM, world); break;
    case 4: MPI_Gather(buffer, count, type, other, count, type, 0, world); break;
    case 5: MPI_Scatter(buffer, count, type, other, count, type, 0, world); break;
    case 6: MPI_Allgather(buffer, count, type, other, count, type, world); break;
    case 7: MPI_Alltoall(buffer, count, type, other, count, type, world); break;
    case 8: MPI_Reduce_scatter_block(buffer, other, count, type, MPI_SUM, world); break;
    case 9: MPI_Scan(buffer, other, count, type, MPI_SUM, world); break;
    default: MPI_Exscan(buffer, other, count, type, MPI_SUM, world);
    }
}

static void measure_collective(int kind, int length, int per_node)
{
    MPI_Barrier(MPI_COMM_WORLD);
    double began = MPI_Wtime();
    for (int i = 0; i < warm_ups; i++)
        perform(kind, length / 8);
    int number = agreed_repetitions((MPI_Wtime() - began) / warm_ups);
    for (int i = 0; i < number; i++) {
        /* Ranks leave a barrier at different times, by less than it takes; that much is in the times. */
        MPI_Barrier(MPI_COMM_WORLD);
        began = MPI_Wtime();
        perform(kind, length / 8);
        times[i] = MPI_Wtime() - began;
    }
    MPI_Allreduce(times, slowest, number, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    memcpy(times, slowest, number * sizeof *times);
    if (rank != 0)
        return;
    struct found found = summarise(number);
    printf("mpiete-collective %s %d %d %d", collective_names[kind], ranks, per_node, length);
    print_times(found, number);
}

/* All collectives by length: barriers have none. */
static void measure_collectives(void)
{
    MPI_Comm node;
    int on_node, per_node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &on_node);
    MPI_Comm_free(&node);
    MPI_Allreduce(&on_node, &per_node, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    measure_collective(0, 0, per_node);
    for (int kind = 1; kind < COUNT(collective_names); kind++)
        for (int i = 0; i < COUNT(collective_sizes); i++)
            if (fits(collective_sizes[i]))
                measure_collective(kind, collective_sizes[i], per_node);
}

/* --- start */
static void choose_link(int argc, char **argv)
{
    static const char switches[] = "switches-";
    const char *set = argc > 1 ? argv[1] : getenv("MPIETE_LINK");
    char reason[200];
    snprintf(link_class, sizeof link_class, "%s", set && *set ? set : "between-nodes");
    of_collectives = strcmp(link_class, "collectives") == 0;
    if (of_collectives || strcmp(link_class, "between-nodes") == 0 || strcmp(link_class, "inside-node") == 0)
        return;
    size_t length = strlen(switches);
    const char *digits = link_class + length;
    if (strncmp(link_class, switches, length) == 0 && *digits && strspn(digits, "0123456789") == strlen(digits))
        return;
    snprintf(reason, sizeof reason, "the link '%s' is not one of between-nodes, inside-node, switches-N, collectives", link_class);
    refuse(reason);
}

/* Comments on what ran where. */
static void describe(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING], own[MPI_MAX_PROCESSOR_NAME] = "", second[MPI_MAX_PROCESSOR_NAME];
    int length;
    MPI_Get_library_version(library, &length);
    library[strcspn(library, "\n")] = 0;
    MPI_Get_processor_name(own, &length);
    if (rank == 1)
        MPI_Send(own, sizeof own, MPI_CHAR, 0, sign_tag, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    MPI_Recv(second, sizeof second, MPI_CHAR, 1, sign_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("# MPI library: %s\n", library);
    /* Without the last line, a reader knows that the output is incomplete. */
    printf("# network probe, version 2\n# rank 0 on %s, rank 1 on %s\n", own, second);
    printf("# resolution of MPI_Wtime: %lld ns\n", (long long) nanoseconds(MPI_Wtick()));
    if (of_collectives || strcmp(own, second) != 0 || strcmp(link_class, "inside-node") == 0)
        return;
    printf("# both ranks run on one node, but the link is called %s\n", link_class);
    fprintf(stderr, "comm_probe: both ranks run on one node, but the link is called %s; place them on two nodes, or say "
            "inside-node\n", link_class);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    choose_link(argc, argv);
    if (ranks < 2)
        refuse("needs 2 ranks or more; start it with: mpirun -n 2 ./comm_probe");
    int64_t length = most(largest, reduced_bytes);
    for (int i = 0; of_collectives && i < COUNT(collective_sizes); i++)
        if (fits(collective_sizes[i]))
            length = most(length, (int64_t) collective_sizes[i] * ranks);
    /* Longer messages are sent as 8-byte numbers, of which a count can be as many again. */
    if (length / 8 + 1 > INT_MAX)
        refuse("the longest message is more than MPI counts; write the probe for less");
    buffer = calloc(length / 8 + 1, 8);
    other = calloc(length / 8 + 1, 8);
    if (!buffer || !other)
        refuse("there is no memory for the longest message; write the probe for less");
    describe();
    if (of_collectives)
        measure_collectives();
    else
        measure_messages();
    if (rank == 0)
        printf("# end of samples\n");
    MPI_Finalize();
    return 0;
}
