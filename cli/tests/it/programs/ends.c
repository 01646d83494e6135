/* A program that ends as its argument says: "well", "with 3", "abort", "wait" (rank 0 says so),
 * "full" (well, but rank 1 has many entries in its stream and can write small files only), or
 * "threads" (well, but two threads are in MPI at once). */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A synchronous send is over only when somebody receives. */
static void *send_to_myself(void *rank)
{
    MPI_Ssend(rank, 1, MPI_INT, *(int *)rank, 5, MPI_COMM_WORLD);
    return NULL;
}

static void two_threads(int rank)
{
    int got;
    pthread_t other;
    pthread_create(&other, NULL, send_to_myself, &rank);
    MPI_Recv(&got, 1, MPI_INT, rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "well";
    int rank, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(how, "abort") && rank == 1) MPI_Abort(MPI_COMM_WORLD, 7);
    if (!strcmp(how, "wait")) {
        /* Nobody is left behind if nobody ends it. */
        alarm(60);
        if (rank == 0) puts("waiting"), fflush(stdout);
        for (;;) pause();
    }
    if (!strcmp(how, "full") && rank == 1) {
        struct rlimit small = {4096, 4096};
        setrlimit(RLIMIT_FSIZE, &small);
        signal(SIGXFSZ, SIG_IGN);
        for (int i = 0; i < 10000; i++) MPI_Send(&i, 1, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_WORLD);
    }
    if (!strcmp(how, "threads")) two_threads(rank);
    if (!strcmp(how, "abort")) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return strcmp(how, "with 3") ? 0 : 3;
}
