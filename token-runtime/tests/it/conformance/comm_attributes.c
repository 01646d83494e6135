/* Attributes of communicators and datatypes. */
#include <mpi.h>
#include <stdio.h>

static int rank, copies, deletions;

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    copies++;
    *(void **) out = (char *) in + *(int *) extra;
    *flag = 1;
    return MPI_SUCCESS;
}

static int drop(MPI_Comm comm, int key, void *value, void *extra)
{
    int final;
    deletions++;
    MPI_Finalized(&final);
    if (rank == 0)
        printf("deleted %ld extra %d finalized %d\n", (long) value, *(int *) extra, final);
    return MPI_SUCCESS;
}

static int refuse(MPI_Comm comm, int key, void *value, void *extra)
{
    return deletions > 100 ? MPI_SUCCESS : MPI_ERR_OTHER;
}

static int type_drop(MPI_Datatype type, int key, void *value, void *extra)
{
    if (rank == 0)
        printf("type lost %ld\n", (long) value);
    return MPI_SUCCESS;
}

static void get(const char *name, MPI_Comm comm, int key)
{
    void *value = NULL;
    int flag;
    MPI_Comm_get_attr(comm, key, &value, &flag);
    if (rank == 0)
        printf("%s: %d %ld\n", name, flag, flag ? (long) value : 0);
}

static void predefined(void)
{
    int *value, flag;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    if (rank == 0)
        printf("TAG_UB %d %d\n", flag, *value >= 32767);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_HOST, &value, &flag);
    if (rank == 0)
        printf("HOST %d %d\n", flag, *value == MPI_PROC_NULL);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &value, &flag);
    if (rank == 0)
        printf("IO %d %d\n", flag, *value == MPI_ANY_SOURCE);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &flag);
    if (rank == 0)
        printf("WTIME_IS_GLOBAL %d %d\n", flag, *value);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &flag);
    if (rank == 0)
        printf("APPNUM %d %d\n", flag, *value);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag);
    if (rank == 0)
        printf("LASTUSEDCODE %d %d\n", flag, *value == MPI_ERR_LASTCODE);
}

int main(int argc, char **argv)
{
    int key, same, none, stubborn, extra = 100, flag;
    MPI_Comm made;
    MPI_Datatype type;
    void *value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    predefined();
    MPI_Comm_create_keyval(copy, drop, &key, &extra);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &same, NULL);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &none, NULL);
    get("before", MPI_COMM_WORLD, key);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *) 1);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void *) 2);
    MPI_Comm_set_attr(MPI_COMM_WORLD, same, (void *) 3);
    MPI_Comm_set_attr(MPI_COMM_WORLD, none, (void *) 4);
    get("set", MPI_COMM_WORLD, key);
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    get("copied", made, key);
    get("duplicated", made, same);
    get("not copied", made, none);
    MPI_Comm_free_keyval(&same);
    if (rank == 0)
        printf("freed key %d copies %d\n", same == MPI_KEYVAL_INVALID, copies);
    MPI_Comm_delete_attr(made, key);
    get("deleted", made, key);
    MPI_Comm_free(&made);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &stubborn, NULL);
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    MPI_Comm_set_attr(made, stubborn, NULL);
    flag = MPI_Comm_free(&made);
    if (rank == 0)
        printf("not freed %d %d\n", flag != MPI_SUCCESS, made != MPI_COMM_NULL);
    deletions = 200;
    MPI_Comm_free(&made);
    MPI_Comm_free_keyval(&stubborn);

    MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &same, NULL);
    MPI_Attr_put(MPI_COMM_WORLD, same, (void *) 9);
    MPI_Attr_get(MPI_COMM_WORLD, same, &value, &flag);
    if (rank == 0)
        printf("old form %d %ld\n", flag, (long) value);
    MPI_Attr_delete(MPI_COMM_WORLD, same);
    MPI_Keyval_free(&same);

    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, type_drop, &same, NULL);
    type = MPI_INT;
    MPI_Type_set_attr(type, same, (void *) 11);
    MPI_Type_get_attr(type, same, &value, &flag);
    if (rank == 0)
        printf("of a type %d %ld\n", flag, (long) value);
    MPI_Type_delete_attr(type, same);
    MPI_Type_get_attr(type, same, &value, &flag);
    if (rank == 0)
        printf("of a type %d\n", flag);
    MPI_Type_free_keyval(&same);

    MPI_Comm_set_attr(MPI_COMM_SELF, key, (void *) 7);
    MPI_Finalize();
    return 0;
}
