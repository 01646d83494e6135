// Null pointers where the standard wants places for results or arrays, where MPICH checks some and crashes
// at others: the error handler decides, and the program goes on. Arrays without elements may be null.
#include <mpi.h>
#include <stdio.h>

static int rank, size;

static void expect(int expected, const char *what, int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    printf("rank %d: %s%s gives class %d\n", rank, class == expected ? "" : "wrong: ", what, class);
}

int main(void)
{
    int number, counts[64] = {0};
    MPI_Group world, group;
    MPI_Datatype type;
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    expect(MPI_ERR_ARG, "rank", MPI_Comm_rank(MPI_COMM_WORLD, NULL));
    expect(MPI_ERR_ARG, "size", MPI_Comm_size(MPI_COMM_WORLD, NULL));
    expect(MPI_ERR_ARG, "group", MPI_Comm_group(MPI_COMM_WORLD, NULL));
    expect(MPI_ERR_ARG, "rank in group", MPI_Group_rank(world, NULL));
    expect(MPI_ERR_ARG, "size of type", MPI_Type_size(MPI_INT, NULL));
    expect(MPI_ERR_ARG, "name", MPI_Comm_get_name(MPI_COMM_WORLD, NULL, &number));
    expect(MPI_ERR_ARG, "test", MPI_Test(NULL, &number, MPI_STATUS_IGNORE));
    expect(MPI_ERR_ARG, "probe", MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, NULL, MPI_STATUS_IGNORE));
    expect(MPI_ERR_ARG, "address", MPI_Get_address(&number, NULL));
    expect(MPI_ERR_ARG, "ranks", MPI_Group_incl(world, 1, NULL, &group));
    expect(MPI_ERR_ARG, "indices", MPI_Type_indexed(1, NULL, NULL, MPI_INT, &type));
    expect(MPI_SUCCESS, "after it", MPI_Comm_rank(MPI_COMM_WORLD, &number));
    expect(MPI_SUCCESS, "no requests", MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE));
    expect(MPI_SUCCESS, "no ranks", MPI_Group_incl(world, 0, NULL, &group));
    expect(MPI_SUCCESS, "no blocks", MPI_Type_indexed(0, NULL, NULL, MPI_INT, &type));
    MPI_Type_free(&type);
    expect(MPI_SUCCESS, "nothing sent", MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    expect(MPI_SUCCESS, "nothing received", MPI_Recv(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    number = 0;
    expect(MPI_SUCCESS, "nothing packed", MPI_Pack(NULL, 0, MPI_INT, counts, 64, &number, MPI_COMM_WORLD));
    expect(MPI_SUCCESS, "nothing unpacked", MPI_Unpack(counts, 64, &number, NULL, 0, MPI_INT, MPI_COMM_WORLD));
    expect(MPI_ERR_TYPE, "no datatype", MPI_Send(&number, 1, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    expect(MPI_SUCCESS, "no counts beside the root",
           MPI_Gatherv(&rank, 0, MPI_INT, NULL, rank ? NULL : counts, rank ? NULL : counts, MPI_INT, 0, MPI_COMM_WORLD));
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
