/* Intercommunicators: made, asked, used, copied, split, merged. */
#include <mpi.h>
#include <stdio.h>

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
            int own, local, remote = -1, inter, count = -1;
            MPI_Group group;
            MPI_Comm_rank(comm, &own);
            MPI_Comm_size(comm, &local);
            MPI_Comm_test_inter(comm, &inter);
            if (inter) {
                MPI_Comm_remote_size(comm, &remote);
                MPI_Comm_remote_group(comm, &group);
                MPI_Group_size(group, &count);
                MPI_Group_free(&group);
            }
            printf("%s: rank %d is %d of %d, remote %d %d\n", name, rank, own, local, remote, count);
        }
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each sends to its opposite. */
static void cross(MPI_Comm comm)
{
    int own, remote, got, local;
    MPI_Status status;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &local);
    MPI_Comm_remote_size(comm, &remote);
    if (own < remote && own < local) {
        MPI_Sendrecv(&rank, 1, MPI_INT, own, 1, &got, 1, MPI_INT, own, 1, comm, &status);
        printf("rank %d got %d from %d\n", rank, got, status.MPI_SOURCE);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    MPI_Comm half, inter, copy, merged;
    int likeness;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < 2) {
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 12, &inter);
    show("inter", inter);
    for (int turn = 0; turn < size; turn++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn == 0)
            cross(inter);
    }
    MPI_Comm_dup(inter, &copy);
    show("copy", copy);
    MPI_Comm_compare(inter, copy, &likeness);
    if (rank == 0)
        printf("likeness %d\n", likeness == MPI_CONGRUENT);
    MPI_Comm_free(&copy);
    MPI_Intercomm_merge(inter, rank % 2, &merged);
    show("merged", merged);
    MPI_Comm_free(&merged);
    MPI_Intercomm_merge(inter, 1 - rank % 2, &merged);
    show("merged the other way", merged);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
