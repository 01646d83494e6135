/* Beginning and end, versions, names, clocks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    int flag, major, minor, length, provided, rank, size;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&flag);
    if (flag)
        printf("wrong: initialized\n");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Initialized(&flag);
    printf("initialized %d, level %d\n", flag, provided >= MPI_THREAD_FUNNELED);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_version(&major, &minor);
    printf("rank %d of %d: MPI %d.%d\n", rank, size, major, minor);
    MPI_Get_processor_name(text, &length);
    printf("name %d\n", length == (int)strlen(text) && length > 0);
    MPI_Get_library_version(text, &length);
    printf("version %d\n", length == (int)strlen(text) && length > 0);
    double now = MPI_Wtime();
    printf("clock %d %d\n", MPI_Wtime() >= now, MPI_Wtick() > 0 && MPI_Wtick() < 1);
    MPI_Finalized(&flag);
    printf("finalized %d\n", flag);
    MPI_Finalize();
    MPI_Finalized(&flag);
    if (!flag)
        printf("wrong: not finalized\n");
    return 0;
}
