/* Functions of MPI 4.1, which MPICH 4.0 does not have. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks;

static void expect(int holds, const char *what)
{
    if (!holds) printf("wrong: %s\n", what);
}

static void statuses(void)
{
    MPI_Status status;
    int source, tag, error;
    memset(&status, 0, sizeof status);
    MPI_Status_set_source(&status, 3);
    MPI_Status_set_tag(&status, 7);
    MPI_Status_set_error(&status, MPI_ERR_TAG);
    MPI_Status_get_source(&status, &source);
    MPI_Status_get_tag(&status, &tag);
    MPI_Status_get_error(&status, &error);
    expect(source == 3 && status.MPI_SOURCE == 3, "source");
    expect(tag == 7 && status.MPI_TAG == 7, "tag");
    expect(error == MPI_ERR_TAG && status.MPI_ERROR == MPI_ERR_TAG, "error");
    MPI_Count most[] = {0x7fffffff, 0x80000000LL, 1LL << 40, 1LL << 55, (1LL << 62) - 1, 1LL << 62, 0x7ffffffffffffffeLL}, count;
    int small;
    for (int i = 0; i < (int)(sizeof most / sizeof *most); i++) {
        MPI_Status_set_elements_x(&status, MPI_BYTE, most[i]);
        MPI_Get_elements_x(&status, MPI_BYTE, &count);
        expect(count == most[i], "elements as they were set");
        MPI_Get_elements_c(&status, MPI_BYTE, &count);
        expect(count == most[i], "elements of the form for large counts");
        MPI_Get_count_c(&status, MPI_BYTE, &count);
        expect(count == most[i], "count of the form for large counts");
        MPI_Get_count(&status, MPI_BYTE, &small);
        expect(small == (i == 0 ? 0x7fffffff : MPI_UNDEFINED), "count that does not fit");
        MPI_Get_elements(&status, MPI_BYTE, &small);
        expect(small == (i == 0 ? 0x7fffffff : MPI_UNDEFINED), "elements that do not fit");
        MPI_Test_cancelled(&status, &small);
        expect(!small, "not cancelled");
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    expect(MPI_Status_set_elements_x(&status, MPI_BYTE, 0x7fffffffffffffffLL) != 0, "too many bytes");
    expect(MPI_Status_set_elements_x(&status, MPI_DOUBLE, 1LL << 61) != 0, "too many elements");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* Each rank receives from itself: what has come is seen again and again, until it is completed. */
static void requests(void)
{
    int got[2] = {0}, flag, index, number, indices[3], data = 5;
    MPI_Request request[3] = {MPI_REQUEST_NULL};
    MPI_Status status[3];
    MPI_Irecv(&got[0], 1, MPI_INT, rank, 1, MPI_COMM_WORLD, &request[1]);
    MPI_Irecv(&got[1], 1, MPI_INT, rank, 2, MPI_COMM_WORLD, &request[2]);
    MPI_Request_get_status_any(3, request, &index, &flag, status);
    expect(!flag && index == MPI_UNDEFINED, "none yet");
    MPI_Request_get_status_some(3, request, &number, indices, status);
    expect(number == 0, "not some yet");
    MPI_Send(&data, 1, MPI_INT, rank, 2, MPI_COMM_WORLD);
    for (int again = 0; again < 2; again++) {
        MPI_Request_get_status_any(3, request, &index, &flag, status);
        expect(flag && index == 2 && status[0].MPI_TAG == 2, "any");
        MPI_Request_get_status_some(3, request, &number, indices, status);
        expect(number == 1 && indices[0] == 2 && status[0].MPI_SOURCE == rank, "some");
        MPI_Request_get_status_all(3, request, &flag, status);
        expect(!flag, "not all yet");
    }
    MPI_Send(&data, 1, MPI_INT, rank, 1, MPI_COMM_WORLD);
    MPI_Request_get_status_all(3, request, &flag, status);
    expect(flag && status[1].MPI_TAG == 1 && status[2].MPI_TAG == 2, "all");
    expect(status[0].MPI_SOURCE == MPI_ANY_SOURCE, "null request");
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
    expect(got[0] == 5 && got[1] == 5, "data");
    status[0].MPI_ERROR = MPI_ERR_OTHER;
    MPI_Request_get_status_any(3, request, &index, &flag, status);
    expect(flag && index == MPI_UNDEFINED && status[0].MPI_ERROR == MPI_SUCCESS, "no request for any");
    MPI_Request_get_status_some(3, request, &number, indices, status);
    expect(number == MPI_UNDEFINED, "no request for some");
}

static void buffers(void)
{
    char room[1000], *back;
    int size, data = 1, got = 0;
    MPI_Request request;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_attach_buffer(comm, room, sizeof room);
    MPI_Bsend(&data, 1, MPI_INT, 0, 0, comm);
    MPI_Recv(&got, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    expect(got == 1, "sent from the communicator's buffer");
    MPI_Comm_flush_buffer(comm);
    MPI_Comm_iflush_buffer(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_detach_buffer(comm, &back, &size);
    expect(back == room && size == sizeof room, "the communicator's buffer comes back");
    MPI_Comm_free(&comm);
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    for (int i = 0; i < 3; i++) MPI_Bsend(&data, 1, MPI_INT, 0, i, MPI_COMM_SELF);
    MPI_Buffer_flush();
    MPI_Buffer_iflush(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&back, &size);
    expect(back == (char *)MPI_BUFFER_AUTOMATIC && size == 0, "the automatic buffer comes back");
    for (int i = 0; i < 3; i++) MPI_Recv(&got, 1, MPI_INT, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_attach_buffer(session, room, sizeof room);
    MPI_Session_flush_buffer(session);
    MPI_Session_iflush_buffer(session, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Session_detach_buffer(session, &back, &size);
    expect(back == room && size == sizeof room, "the session's buffer comes back");
    MPI_Session_finalize(&session);
}

static void errors(void)
{
    int class, code, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "own");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    expect(MPI_Remove_error_class(class) != 0, "a class with codes stays");
    expect(MPI_Remove_error_code(code) != 0, "a code with a text stays");
    expect(MPI_Remove_error_code(MPI_ERR_TAG) != 0, "a standard class is no code");
    expect(MPI_Remove_error_string(code) == 0, "the text goes");
    MPI_Error_string(code, text, &length);
    expect(length == 0, "no text");
    expect(MPI_Remove_error_code(code) == 0, "the code goes");
    expect(MPI_Remove_error_code(code) != 0, "it is gone");
    expect(MPI_Remove_error_class(class) == 0, "the class goes");
    expect(MPI_Remove_error_class(class) != 0, "the class is gone");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void types(void)
{
    MPI_Datatype pair;
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
    expect(pair == MPI_DOUBLE_INT, "double and int");
    MPI_Type_get_value_index(MPI_INT, MPI_INT, &pair);
    expect(pair == MPI_2INT, "two ints");
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_FLOAT, &pair);
    expect(pair == MPI_DATATYPE_NULL, "no such pair");
}

int main(int argc, char **argv)
{
    MPI_Info info;
    int keys;
    MPI_Get_hw_resource_info(&info);
    MPI_Info_get_nkeys(info, &keys);
    expect(keys >= 1, "kinds of hardware");
    MPI_Info_free(&info);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    statuses();
    requests();
    buffers();
    errors();
    types();
    printf("rank %d is done\n", rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
