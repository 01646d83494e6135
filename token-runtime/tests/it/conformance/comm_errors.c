/* Error handlers, classes and codes. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank;
static MPI_Comm seen;

static void handler(MPI_Comm *comm, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    seen = *comm;
    if (rank == 0)
        printf("handler: class %d\n", class);
}

static void fail(MPI_Comm comm, const char *name)
{
    int value = 0, class, code = MPI_Send(&value, 1, MPI_INT, 1000, 0, comm);
    MPI_Error_class(code, &class);
    if (rank == 0)
        printf("%s: %d\n", name, class == MPI_ERR_RANK);
}

int main(int argc, char **argv)
{
    MPI_Errhandler own, got;
    MPI_Comm copy;
    int class, code, *last, flag, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    if (rank == 0)
        printf("fatal %d\n", got == MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &got);
    if (rank == 0)
        printf("return %d\n", got == MPI_ERRORS_RETURN);
    fail(MPI_COMM_WORLD, "returned");
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    fail(copy, "inherited");
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(copy, own);
    MPI_Errhandler_free(&own);
    if (rank == 0)
        printf("freed %d\n", own == MPI_ERRHANDLER_NULL);
    fail(copy, "own handler");
    if (rank == 0)
        printf("of the copy %d\n", seen == copy);
    MPI_Comm_call_errhandler(copy, MPI_ERR_TOPOLOGY);
    MPI_Comm_get_errhandler(copy, &got);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, got);
    MPI_Errhandler_free(&got);
    fail(MPI_COMM_WORLD, "world");
    if (rank == 0)
        printf("of the world %d\n", seen == MPI_COMM_WORLD);
    MPI_Comm_free(&copy);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Cart_shift(MPI_COMM_WORLD, 0, 1, &length, &flag);
    MPI_Error_class(code, &class);
    if (rank == 0)
        printf("no grid %d\n", class == MPI_ERR_TOPOLOGY);
    code = MPI_Comm_free_keyval(&length);
    MPI_Error_class(code, &class);
    if (rank == 0)
        printf("no key %d\n", class == MPI_ERR_KEYVAL);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(class, "a class");
    MPI_Add_error_string(code, "a code");
    MPI_Error_string(class, text, &length);
    if (rank == 0)
        printf("%s %d\n", text, length);
    MPI_Error_string(code, text, &length);
    if (rank == 0)
        printf("%s %d\n", text, length);
    MPI_Error_class(code, &flag);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &length);
    if (rank == 0)
        printf("added %d %d %d\n", class == flag, class > MPI_ERR_LASTCODE, *last == class);
    for (int i = 1; i < 20; i++) {
        MPI_Error_string(i, text, &length);
        MPI_Error_class(i, &class);
        if (rank == 0 && (length != (int) strlen(text) || length == 0 || class != i))
            printf("text of %d is %s\n", i, text);
    }
    MPI_Finalize();
    return 0;
}
