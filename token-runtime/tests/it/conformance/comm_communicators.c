/* Making communicators and asking them. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void show(const char *name, MPI_Comm comm)
{
    for (int turn = 0; turn < size; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn != rank)
            continue;
        if (comm == MPI_COMM_NULL) {
            printf("%s: rank %d has none\n", name, rank);
        } else {
            int own, all, likeness, inter;
            MPI_Comm_rank(comm, &own);
            MPI_Comm_size(comm, &all);
            MPI_Comm_compare(MPI_COMM_WORLD, comm, &likeness);
            MPI_Comm_test_inter(comm, &inter);
            printf("%s: rank %d is %d of %d, likeness %d, inter %d\n", name, rank, own, all, likeness, inter);
        }
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A message round the communicator shows that its context is its own. */
static void round_trip(MPI_Comm comm)
{
    int own, all, got;
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &all);
    MPI_Sendrecv(&own, 1, MPI_INT, (own + 1) % all, 5, &got, 1, MPI_INT, (own + all - 1) % all, 5, comm,
                 MPI_STATUS_IGNORE);
    if (got != (own + all - 1) % all)
        printf("wrong message %d\n", got);
}

int main(int argc, char **argv)
{
    MPI_Comm made, other;
    MPI_Group all, half;
    MPI_Info info;
    MPI_Request request;
    int range[1][3], length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    show("world", MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    round_trip(made);
    show("dup", made);
    MPI_Comm_set_name(made, "the copy");
    MPI_Comm_get_name(made, name, &length);
    if (rank == 0)
        printf("name: %s %d\n", name, length);
    MPI_Comm_dup(made, &other);
    MPI_Comm_get_name(other, name, &length);
    if (rank == 0)
        printf("name of its copy: [%s] %d\n", name, length);
    MPI_Comm_disconnect(&other);
    MPI_Comm_free(&made);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    if (rank == 0)
        printf("name: %s %d, freed %d\n", name, length, made == MPI_COMM_NULL && other == MPI_COMM_NULL);
    MPI_Info_create(&info);
    MPI_Info_set(info, "hint", "value");
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made);
    round_trip(made);
    show("dup_with_info", made);
    MPI_Comm_free(&made);
    MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    round_trip(made);
    show("idup", made);
    MPI_Comm_set_info(made, info);
    MPI_Info_free(&info);
    MPI_Comm_get_info(made, &info);
    MPI_Info_free(&info);
    MPI_Comm_free(&made);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made);
    round_trip(made);
    show("split", made);
    MPI_Comm_free(&made);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &made);
    round_trip(made);
    show("split without some", made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, size - rank, MPI_INFO_NULL, &made);
    round_trip(made);
    show("split_type", made);
    MPI_Comm_free(&made);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    range[0][0] = size - 1, range[0][1] = size / 2, range[0][2] = -1;
    MPI_Group_range_incl(all, 1, range, &half);
    MPI_Comm_create(MPI_COMM_WORLD, half, &made);
    round_trip(made);
    show("create", made);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    made = MPI_COMM_NULL;
    if (rank >= size / 2)
        MPI_Comm_create_group(MPI_COMM_WORLD, half, 3, &made);
    round_trip(made);
    show("create_group", made);
    if (made != MPI_COMM_NULL) {
        MPI_Comm_group(made, &all);
        MPI_Group_compare(all, half, &length);
        if (rank == size - 1)
            printf("group: %d\n", length == MPI_IDENT);
        MPI_Comm_free(&made);
    }
    MPI_Comm_get_parent(&made);
    if (rank == 0)
        printf("parent: %d\n", made == MPI_COMM_NULL);
    MPI_Finalize();
    return 0;
}
