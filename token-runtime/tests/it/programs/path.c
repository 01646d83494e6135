/* Loads an MPI library by its path, as its argument says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
#if defined(NAMESPACE)
    void *mpi = dlmopen(LM_ID_NEWLM, argv[argc - 1], RTLD_NOW);
#elif defined(DEEP)
    void *mpi = dlopen(argv[argc - 1], RTLD_NOW | RTLD_DEEPBIND);
#else
    void *mpi = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
#endif
    if (!mpi) return puts(dlerror()), 1;
    int (*init)(int *, char ***) = (int (*)(int *, char ***))dlsym(mpi, "MPI_Init");
    int (*rank_of)(int, int *) = (int (*)(int, int *))dlsym(mpi, "MPI_Comm_rank");
    int (*size_of)(int, int *) = (int (*)(int, int *))dlsym(mpi, "MPI_Comm_size");
    int (*finalize)(void) = (int (*)(void))dlsym(mpi, "MPI_Finalize");
    int rank, ranks, world = 0x44000000;
    init(0, 0);
    rank_of(world, &rank);
    size_of(world, &ranks);
    if (rank == 0) printf("%d ranks\n", ranks);
    fflush(stdout);
    return finalize();
}
