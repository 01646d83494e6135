/* Info objects, memory, addresses and the rest. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    MPI_Info info, copy;
    int count, flag, length, rank, level;
    char key[MPI_MAX_INFO_KEY + 1], value[64];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Info_create(&info);
    MPI_Info_set(info, "first", "one");
    MPI_Info_set(info, "second", "two");
    MPI_Info_set(info, "third", "three");
    MPI_Info_set(info, "second", "2");
    MPI_Info_dup(info, &copy);
    MPI_Info_delete(info, "first");
    for (int which = 0; which < 2; which++) {
        MPI_Info now = which == 0 ? info : copy;
        MPI_Info_get_nkeys(now, &count);
        for (int i = 0; i < count; i++) {
            MPI_Info_get_nthkey(now, i, key);
            MPI_Info_get_valuelen(now, key, &length, &flag);
            MPI_Info_get(now, key, 63, value, &flag);
            if (rank == 0)
                printf("%s = %s (%d, %d)\n", key, value, length, flag);
        }
    }
    length = 4;
    MPI_Info_get_string(copy, "third", &length, value, &flag);
    if (rank == 0)
        printf("cut %s %d %d\n", value, length, flag);
    length = 0;
    MPI_Info_get_string(copy, "third", &length, value, &flag);
    if (rank == 0)
        printf("needs %d %d\n", length, flag);
    MPI_Info_get(copy, "fourth", 63, value, &flag);
    if (rank == 0)
        printf("fourth %d\n", flag);
    MPI_Info_free(&info);
    MPI_Info_free(&copy);
    if (rank == 0)
        printf("freed %d\n", info == MPI_INFO_NULL);
    MPI_Info_create_env(argc, argv, &info);
    MPI_Info_free(&info);

    int *memory, array[4];
    MPI_Aint first, second;
    MPI_Alloc_mem(4 * sizeof(int), MPI_INFO_NULL, &memory);
    memory[3] = 17;
    MPI_Get_address(&array[0], &first);
    MPI_Get_address(&array[3], &second);
    if (rank == 0)
        printf("memory %d distance %d sum %d\n", memory[3], (int) MPI_Aint_diff(second, first),
               MPI_Aint_add(first, 12) == second);
    MPI_Free_mem(memory);
    MPI_Is_thread_main(&flag);
    MPI_Query_thread(&length);
    if (rank == 0)
        printf("thread %d %d\n", flag, length == level);
    MPI_Pcontrol(1);
    MPI_Finalize();
    return 0;
}
