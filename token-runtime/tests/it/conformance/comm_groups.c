/* Groups: what each function answers. */
#include <mpi.h>
#include <stdio.h>

static void show(const char *name, MPI_Group group)
{
    int size, rank, ranks[16], world[16];
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_size(group, &size);
    MPI_Group_rank(group, &rank);
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    MPI_Group_translate_ranks(group, size, ranks, all, world);
    printf("%s: size %d rank %d:", name, size, rank == MPI_UNDEFINED ? -9 : rank);
    for (int i = 0; i < size; i++)
        printf(" %d", world[i]);
    printf("\n");
    MPI_Group_free(&all);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int turn = 0; turn < size; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn != rank)
            continue;
        MPI_Group all, last, rest, made;
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        show("all", all);
        int ranks[2] = {size - 1, 0}, ranges[1][3] = {{size - 1, 0, -1}};
        MPI_Group_incl(all, 1, ranks, &last);
        show("incl", last);
        MPI_Group_excl(all, 1, ranks, &rest);
        show("excl", rest);
        MPI_Group_union(last, rest, &made);
        show("union", made);
        int result;
        MPI_Group_compare(all, made, &result);
        printf("compare: %d\n", result == (size > 1 ? MPI_SIMILAR : MPI_IDENT));
        MPI_Group_free(&made);
        MPI_Group_intersection(all, last, &made);
        show("intersection", made);
        MPI_Group_compare(last, made, &result);
        printf("compare: %d\n", result == MPI_IDENT);
        MPI_Group_compare(rest, made, &result);
        printf("compare: %d\n", result == MPI_UNEQUAL);
        MPI_Group_free(&made);
        MPI_Group_difference(all, rest, &made);
        show("difference", made);
        MPI_Group_free(&made);
        MPI_Group_range_incl(all, 1, ranges, &made);
        show("range_incl", made);
        MPI_Group_free(&made);
        MPI_Group_range_excl(all, 1, ranges, &made);
        printf("empty: %d\n", made == MPI_GROUP_EMPTY);
        MPI_Group_free(&made);
        printf("freed: %d\n", made == MPI_GROUP_NULL);
        int from[3] = {0, MPI_PROC_NULL, size - 1}, to[3];
        MPI_Group_translate_ranks(all, 3, from, last, to);
        printf("translate: %d %d %d\n", to[0] == (size > 1 ? MPI_UNDEFINED : 0), to[1] == MPI_PROC_NULL, to[2]);
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
