/* Parallel Mandelbrot explorer, as of Mizutani et al. 2004 (MASE): a task tests whether the points of one row lie in the set, so
   tasks are uneven. How masters give tasks away is the first argument:

     single     rank 0 is the only master
     multiple   the first MASTERS ranks are masters, each with an equal part of the rows and of the workers
     dynamic    rank 0 begins alone; a master whose workers wait for long makes one of them the master of half of the
                rows that are left and of half of the workers, which come back when these rows are done
     poll       as single, but the master looks for requests with MPI_Iprobe
     any        as single, but the master has a receive open for each worker and waits with MPI_Waitany

   Further arguments: points in each direction, iterations at most, file of the image, masters (for `multiple`), nanoseconds
   that a worker sleeps for each iteration, so that ranks which share processors compute as if each had its own.
   Rank 0 writes the image, and prints the number of points in the set. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ASK = 1, WORK, RESULT, STOP, MOVE, PROMOTE, ROWS };

static int rank, ranks, size, limit;
static long sleeps; /* nanoseconds for each iteration */
static int *image; /* rows that this rank has the results of, whole image on every master */

static void compute_row(int row, int *to) {
    long iterations = 0;
    for (int column = 0; column < size; column++) {
        double cr = -2.0 + 2.5 * column / size, ci = -1.25 + 2.5 * row / size, r = 0, i = 0;
        int n = 0;
        while (n < limit && r * r + i * i < 4.0) {
            double next = r * r - i * i + cr;
            i = 2 * r * i + ci;
            r = next;
            n++;
        }
        to[column] = n;
        iterations += n;
    }
    if (sleeps > 0) {
        struct timespec time = {iterations * sleeps / 1000000000, iterations * sleeps % 1000000000};
        nanosleep(&time, NULL);
    }
}

/* Gives the rows from `first` to the one before `last` to these workers; then stops them, or, of a promoted worker, sends
   them back to its own master. */
static void serve(int first, int last, const int *workers, int count, int back, int dynamic);

/* A worker asks its master, and computes what it gets. With its request it says for how long it waited for the task
   before, and for how long it computed that, in microseconds. A worker that is promoted becomes the master of others
   for a while. */
static void work(int master, int dynamic) {
    int *result = malloc((size + 1) * sizeof *result), ask[3] = {rank, 0, 0};
    for (;;) {
        int task[3];
        MPI_Status status;
        double asked = MPI_Wtime();
        MPI_Send(ask, 3, MPI_INT, master, ASK, MPI_COMM_WORLD);
        MPI_Recv(task, 3, MPI_INT, master, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        double got = MPI_Wtime();
        if (status.MPI_TAG == STOP)
            break;
        if (status.MPI_TAG == MOVE) {
            master = task[0];
        } else if (status.MPI_TAG == PROMOTE) {
            int count = task[2], *workers = malloc((count + 1) * sizeof *workers);
            MPI_Recv(workers, count, MPI_INT, master, PROMOTE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            serve(task[0], task[1], workers, count, master, dynamic);
            free(workers);
            MPI_Send(image + task[0] * size, (task[1] - task[0]) * size, MPI_INT, master, ROWS, MPI_COMM_WORLD);
        } else {
            result[0] = task[0];
            compute_row(task[0], result + 1);
            ask[1] = (int)((got - asked) * 1e6);
            ask[2] = (int)((MPI_Wtime() - got) * 1e6);
            MPI_Send(result, size + 1, MPI_INT, master, RESULT, MPI_COMM_WORLD);
        }
    }
    free(result);
}

static int *received;

/* Takes a message of a worker; true if it asks for a task. */
static int take(int source, int tag) {
    MPI_Recv(received, size + 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (tag == RESULT)
        memcpy(image + received[0] * size, received + 1, size * sizeof *image);
    return tag == ASK;
}

static void serve(int first, int last, const int *workers, int count, int back, int dynamic) {
    int next = first, left = count, reports = 0, helper = -1, part[3] = {0, 0, 0}, moved = 0, away = 0;
    int *theirs = malloc((count + 1) * sizeof *theirs);
    long waited = 0, computed = 0;
    while (left > 0 || away) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        int source = status.MPI_SOURCE, answer[3] = {next, 0, 0};
        if (status.MPI_TAG == ROWS) {
            MPI_Recv(image + part[0] * size, (part[1] - part[0]) * size, MPI_INT, source, ROWS, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            away = 0;
            continue;
        }
        if (!take(source, status.MPI_TAG))
            continue;
        waited += received[1];
        computed += received[2];
        reports++;
        /* Workers of the helper leave when they next ask; when they come back, its rows are done. */
        int leaves = 0;
        for (int k = 0; k < moved; k++)
            if (away && theirs[k] == source) {
                theirs[k] = theirs[--moved];
                leaves = 1;
                break;
            }
        if (leaves) {
            answer[0] = helper;
            MPI_Send(answer, 3, MPI_INT, source, MOVE, MPI_COMM_WORLD);
        } else if (next >= last) {
            answer[0] = back;
            MPI_Send(answer, 3, MPI_INT, source, back >= 0 ? MOVE : STOP, MPI_COMM_WORLD);
            left--;
        } else if (dynamic && helper < 0 && count >= 4 && reports >= 2 * count && 4 * waited > computed &&
                   last - next >= 2 * count) {
            /* Workers wait for long: this one becomes the master of half of the rows and of the others. */
            helper = source;
            away = 1;
            for (int k = 0; k < count && moved < (count - 1) / 2; k++)
                if (workers[k] != source)
                    theirs[moved++] = workers[k];
            part[0] = (next + last) / 2;
            part[1] = last;
            part[2] = moved;
            last = part[0];
            MPI_Send(part, 3, MPI_INT, source, PROMOTE, MPI_COMM_WORLD);
            MPI_Send(theirs, moved, MPI_INT, source, PROMOTE, MPI_COMM_WORLD);
        } else {
            next++;
            MPI_Send(answer, 3, MPI_INT, source, WORK, MPI_COMM_WORLD);
        }
    }
    free(theirs);
}

/* As `serve`, but looks for messages instead of waiting. */
static void serve_polling(int last, int count) {
    int next = 0, left = count;
    while (left > 0) {
        int flag = 0;
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &status);
        if (!flag)
            continue;
        if (!take(status.MPI_SOURCE, status.MPI_TAG))
            continue;
        int task[3] = {next, 0, 0}, stops = next >= last;
        left -= stops;
        next += !stops;
        MPI_Send(task, 3, MPI_INT, status.MPI_SOURCE, stops ? STOP : WORK, MPI_COMM_WORLD);
    }
}

/* As `serve`, with a receive open for each worker. */
static void serve_any(int last, int count) {
    int next = 0, left = count;
    int *buffers = malloc((size_t)count * (size + 1) * sizeof *buffers);
    MPI_Request *requests = malloc(count * sizeof *requests);
    for (int k = 0; k < count; k++)
        MPI_Irecv(buffers + (size_t)k * (size + 1), size + 1, MPI_INT, k + 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[k]);
    while (left > 0) {
        int k;
        MPI_Status status;
        MPI_Waitany(count, requests, &k, &status);
        int *buffer = buffers + (size_t)k * (size + 1);
        if (status.MPI_TAG == RESULT)
            memcpy(image + buffer[0] * size, buffer + 1, size * sizeof *image);
        int stops = status.MPI_TAG == ASK && next >= last;
        if (!stops)
            MPI_Irecv(buffer, size + 1, MPI_INT, k + 1, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[k]);
        if (status.MPI_TAG != ASK)
            continue;
        int task[3] = {next, 0, 0};
        left -= stops;
        next += !stops;
        MPI_Send(task, 3, MPI_INT, k + 1, stops ? STOP : WORK, MPI_COMM_WORLD);
    }
    free(requests);
    free(buffers);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const char *how = argc > 1 ? argv[1] : "single";
    size = argc > 2 ? atoi(argv[2]) : 64;
    limit = argc > 3 ? atoi(argv[3]) : 1000;
    const char *file = argc > 4 ? argv[4] : "";
    int masters = !strcmp(how, "multiple") ? (argc > 5 ? atoi(argv[5]) : 2) : 1;
    sleeps = argc > 6 ? atol(argv[6]) : 0;
    if (ranks < 2 * masters) {
        if (rank == 0)
            fprintf(stderr, "mandelbrot: needs at least %d ranks\n", 2 * masters);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm parts;
    MPI_Comm_dup(MPI_COMM_WORLD, &parts);
    image = calloc((size_t)size * size, sizeof *image);
    received = malloc((size + 1) * sizeof *received);
    double began = MPI_Wtime();
    int dynamic = !strcmp(how, "dynamic");
    if (rank >= masters) {
        work(rank % masters, dynamic);
    } else {
        int count = 0, *workers = malloc(ranks * sizeof *workers);
        for (int other = masters; other < ranks; other++)
            if (other % masters == rank)
                workers[count++] = other;
        int first = (int)((long)size * rank / masters), last = (int)((long)size * (rank + 1) / masters);
        if (!strcmp(how, "poll"))
            serve_polling(last, count);
        else if (!strcmp(how, "any"))
            serve_any(last, count);
        else
            serve(first, last, workers, count, -1, dynamic);
        free(workers);
        /* The first master collects the parts of the others, on a communicator that no worker's message is on. */
        if (rank > 0)
            MPI_Send(image + (size_t)first * size, (last - first) * size, MPI_INT, 0, ROWS, parts);
    }
    if (rank == 0) {
        for (int other = 1; other < masters; other++) {
            int first = (int)((long)size * other / masters), last = (int)((long)size * (other + 1) / masters);
            MPI_Recv(image + (size_t)first * size, (last - first) * size, MPI_INT, other, ROWS, parts, MPI_STATUS_IGNORE);
        }
        long inside = 0;
        for (int k = 0; k < size * size; k++)
            inside += image[k] == limit;
        printf("mandelbrot %s: %ld points in the set, %.6f s\n", how, inside, MPI_Wtime() - began);
        FILE *output = *file ? fopen(file, "wb") : NULL;
        if (output) {
            fwrite(image, sizeof *image, (size_t)size * size, output);
            fclose(output);
        }
    }
    free(received);
    free(image);
    MPI_Comm_free(&parts);
    MPI_Finalize();
    return 0;
}
