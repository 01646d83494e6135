/* Branch and bound: the most valuable subset of objects that fits into a knapsack. Rank 0 keeps the open subproblems and
   the best value so far, and gives a subproblem to each worker that asks; a worker explores a few levels and gives back
   what is still open. How much work a subproblem is depends on the best value that its worker knows, and so on the order of
   messages; the best value does not. Arguments: objects, seed. */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ASK = 1, WORK, STOP, MOST = 64, LEVELS = 12 };

static int objects, value[MOST], weight[MOST], capacity, best;

/* A subproblem: the next object, and value and weight of those chosen. */
struct open { int next, value, weight; };
static struct open *stack;
static int depth, room;

static void push(int next, int v, int w) {
    if (depth == room) {
        room = room ? 2 * room : 1024;
        stack = realloc(stack, room * sizeof *stack);
    }
    stack[depth++] = (struct open){next, v, w};
}

/* What can be reached at most: the rest by value per weight, the last one in part. Objects are in that order. */
static double bound(struct open at) {
    double most = at.value;
    int left = capacity - at.weight;
    for (int k = at.next; k < objects; k++) {
        if (weight[k] > left)
            return most + (double)value[k] * left / weight[k];
        left -= weight[k];
        most += value[k];
    }
    return most;
}

static void explore(struct open at, int levels) {
    if (at.value > best)
        best = at.value;
    if (at.next == objects || bound(at) <= best)
        return;
    if (levels == 0) {
        push(at.next, at.value, at.weight);
        return;
    }
    struct open with = {at.next + 1, at.value + value[at.next], at.weight + weight[at.next]};
    struct open without = {at.next + 1, at.value, at.weight};
    if (with.weight <= capacity)
        explore(with, levels - 1);
    explore(without, levels - 1);
}

int main(int argc, char **argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    objects = argc > 1 ? atoi(argv[1]) : 30;
    unsigned seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    for (int k = 0; k < objects; k++) {
        seed = seed * 1103515245 + 12345;
        weight[k] = 50 + (seed >> 16) % 100;
        seed = seed * 1103515245 + 12345;
        value[k] = weight[k] + (seed >> 16) % 20;
        capacity += weight[k];
    }
    capacity /= 2;
    for (int k = 1; k < objects; k++)
        for (int j = k; j > 0 && (double)value[j] / weight[j] > (double)value[j - 1] / weight[j - 1]; j--) {
            int v = value[j], w = weight[j];
            value[j] = value[j - 1], weight[j] = weight[j - 1];
            value[j - 1] = v, weight[j - 1] = w;
        }
    if (rank == 0) {
        /* Workers that have asked and got nothing, because nothing was open. */
        int idle = 0, *waiting = malloc(ranks * sizeof *waiting), given = 0;
        push(0, 0, 0);
        while (idle < ranks - 1) {
            MPI_Status status;
            int count;
            MPI_Probe(MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            int *message = malloc(count * sizeof *message);
            MPI_Recv(message, count, MPI_INT, status.MPI_SOURCE, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (message[0] > best)
                best = message[0];
            for (int k = 1; k + 2 < count; k += 3)
                push(message[k], message[k + 1], message[k + 2]);
            free(message);
            waiting[idle++] = status.MPI_SOURCE;
            while (idle > 0 && depth > 0) {
                struct open at = stack[--depth];
                if (bound(at) <= best)
                    continue;
                int task[4] = {best, at.next, at.value, at.weight};
                MPI_Send(task, 4, MPI_INT, waiting[--idle], WORK, MPI_COMM_WORLD);
                given++;
            }
        }
        for (int k = 0; k < idle; k++)
            MPI_Send(&best, 1, MPI_INT, waiting[k], STOP, MPI_COMM_WORLD);
        printf("knapsack: best value %d\n", best);
        fprintf(stderr, "%d subproblems\n", given);
        free(waiting);
    } else {
        for (;;) {
            int count = 1 + 3 * depth, *message = malloc(count * sizeof *message), task[4];
            MPI_Status status;
            message[0] = best;
            for (int k = 0; k < depth; k++) {
                message[3 * k + 1] = stack[k].next;
                message[3 * k + 2] = stack[k].value;
                message[3 * k + 3] = stack[k].weight;
            }
            depth = 0;
            MPI_Send(message, count, MPI_INT, 0, ASK, MPI_COMM_WORLD);
            free(message);
            MPI_Recv(task, 4, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == STOP)
                break;
            if (task[0] > best)
                best = task[0];
            explore((struct open){task[1], task[2], task[3]}, LEVELS);
        }
    }
    free(stack);
    MPI_Finalize();
    return 0;
}
