// Sessions without MPI_Init, communicators of groups, and error handlers of sessions; an intercommunicator
// of two groups. Built against MPI 4.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int calls;

static void handler(MPI_Session *session, int *code, ...)
{
    calls += *code == MPI_ERR_OTHER && *session != MPI_SESSION_NULL;
}

int main(void)
{
    MPI_Session session, second;
    MPI_Errhandler errhandler, found;
    MPI_Group world, self, groups[2];
    MPI_Comm comm, again, inter;
    MPI_Info info;
    int flag, rank, size, count, length = 0, sum, ranges[2][1][3];
    char name[64], value[64];
    MPI_Session_create_errhandler(handler, &errhandler);
    MPI_Session_init(MPI_INFO_NULL, errhandler, &session);
    MPI_Initialized(&flag);
    if (flag) printf("wrong: initialized\n");
    MPI_Session_get_errhandler(session, &found);
    MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
    if (found != errhandler || calls != 1) printf("wrong handler\n");
    MPI_Errhandler_free(&found);
    MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&errhandler);

    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
    for (int i = 0; i < count; i++) {
        length = 0;
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        if (length != (int)strlen(name) + 1) printf("wrong length %d of %s\n", length, name);
        MPI_Session_get_pset_info(session, name, &info);
        length = sizeof value;
        MPI_Info_get_string(info, "mpi_size", &length, value, &flag);
        MPI_Info_free(&info);
        printf("set %s of %s\n", name, value);
    }
    if (MPI_Group_from_session_pset(session, "nobody", &world) == MPI_SUCCESS) printf("wrong set\n");
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    MPI_Group_from_session_pset(session, "mpi://SELF", &self);
    MPI_Comm_create_from_group(world, "first", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_create_from_group(world, "second", MPI_INFO_NULL, MPI_ERRORS_RETURN, &again);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, again);
    printf("rank %d of %d, sum %d\n", rank, size, sum);
    MPI_Comm_free(&again);

    MPI_Session_get_info(session, &info);
    length = sizeof value;
    MPI_Info_get_string(info, "thread_level", &length, value, &flag);
    if (!flag) printf("wrong: no level of threads\n");
    MPI_Info_free(&info);

    if (size > 1) {
        // The first half of the ranks, and the others.
        for (int half = 0; half < 2; half++) {
            ranges[half][0][0] = half ? size / 2 : 0;
            ranges[half][0][1] = half ? size - 1 : size / 2 - 1;
            ranges[half][0][2] = 1;
            MPI_Group_range_incl(world, 1, ranges[half], &groups[half]);
        }
        int half = rank >= size / 2, theirs;
        MPI_Intercomm_create_from_groups(groups[half], 0, groups[!half], 0, "both", MPI_INFO_NULL,
                                         MPI_ERRORS_ARE_FATAL, &inter);
        MPI_Comm_remote_size(inter, &theirs);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
        printf("rank %d: %d others, sum %d\n", rank, theirs, sum);
        MPI_Comm_free(&inter);
        MPI_Group_free(&groups[0]);
        MPI_Group_free(&groups[1]);
    }
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &second);
    MPI_Session_finalize(&second);
    if (second != MPI_SESSION_NULL) printf("wrong: the session is there\n");
    MPI_Comm_free(&comm);
    MPI_Group_free(&world);
    MPI_Group_free(&self);
    MPI_Session_finalize(&session);
    return 0;
}
