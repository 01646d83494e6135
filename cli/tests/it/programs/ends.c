/* A program that ends as its argument says: "well", "with 3", "abort", "wait" (rank 0 says so), or
 * "full" (well, but rank 1 has many entries in its stream and can write small files only). */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "well";
    int rank;
    MPI_Init(&argc, &argv);
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
    if (!strcmp(how, "abort")) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return strcmp(how, "with 3") ? 0 : 3;
}
