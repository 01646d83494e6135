/* Beginning and end, versions, names, clocks. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

/* What may be done at any time. */
static MPI_Info kept = MPI_INFO_NULL;

static void at_any_time(void)
{
    MPI_Info info, copy;
    int flag, count, length = 20;
    char value[20];
    MPI_Info_create(&info);
    MPI_Info_set(info, "some", "thing");
    MPI_Info_dup(info, &copy);
    MPI_Info_get_nkeys(copy, &count);
    MPI_Info_get_string(copy, "some", &length, value, &flag);
    printf("info %d %d %s\n", count, flag, value);
    MPI_Info_free(&info);
    if (kept != MPI_INFO_NULL) {
        MPI_Info_get_nkeys(kept, &count);
        printf("kept %d\n", count);
        MPI_Info_free(&kept);
    }
    kept = copy;
}

int main(int argc, char **argv)
{
    int flag, major, minor, length, provided, rank, size;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&flag);
    if (flag)
        printf("wrong: initialized\n");
    at_any_time();
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
    at_any_time();
    MPI_Finalize();
    at_any_time();
    MPI_Info_free(&kept);
    MPI_Finalized(&flag);
    if (!flag)
        printf("wrong: not finalized\n");
    return 0;
}
