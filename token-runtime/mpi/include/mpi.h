/*
 * mpi.h of mpiete: all functions of MPI 4.0, with the values of the MPICH ABI, so that a program
 * compiled with it runs under any MPI library of that family.
 */
#ifndef MPI_INCLUDED
#define MPI_INCLUDED

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Handles are integers, but for files. */
typedef int MPI_Comm;
typedef int MPI_Datatype;
typedef int MPI_Errhandler;
typedef int MPI_Group;
typedef int MPI_Info;
typedef int MPI_Message;
typedef int MPI_Op;
typedef int MPI_Request;
typedef int MPI_Session;
typedef int MPI_Win;
typedef struct mpiete_file *MPI_File;

typedef int MPI_Fint;
typedef long MPI_Aint;
typedef long MPI_Count;
typedef long MPI_Offset;

typedef struct MPI_Status {
    int count_lo;
    int count_hi_and_cancelled;
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
} MPI_Status;

/* A status as Fortran's mpi_f08 has it */
typedef struct MPI_F08_status {
    MPI_Fint count_lo;
    MPI_Fint count_hi_and_cancelled;
    MPI_Fint MPI_SOURCE;
    MPI_Fint MPI_TAG;
    MPI_Fint MPI_ERROR;
} MPI_F08_status;

/* Handles of the tool interface */
typedef struct mpiete_t_enum *MPI_T_enum;
typedef struct mpiete_t_cvar_handle *MPI_T_cvar_handle;
typedef struct mpiete_t_pvar_handle *MPI_T_pvar_handle;
typedef struct mpiete_t_pvar_session *MPI_T_pvar_session;
typedef struct mpiete_t_event_registration *MPI_T_event_registration;
typedef struct mpiete_t_event_instance *MPI_T_event_instance;
typedef int MPI_T_cb_safety;
typedef int MPI_T_source_order;
#define MPI_T_ENUM_NULL ((MPI_T_enum)NULL)
#define MPI_T_CVAR_HANDLE_NULL ((MPI_T_cvar_handle)NULL)
#define MPI_T_PVAR_HANDLE_NULL ((MPI_T_pvar_handle)NULL)
#define MPI_T_PVAR_SESSION_NULL ((MPI_T_pvar_session)NULL)
extern struct mpiete_t_pvar_handle *const MPI_T_PVAR_ALL_HANDLES;

/* Functions of the program that MPI calls */
typedef void(MPI_User_function)(void *in, void *inout, int *len, MPI_Datatype *datatype);
typedef void(MPI_User_function_c)(void *in, void *inout, MPI_Count *len, MPI_Datatype *datatype);
typedef int(MPI_Comm_copy_attr_function)(MPI_Comm old, int keyval, void *extra, void *in, void *out, int *flag);
typedef int(MPI_Comm_delete_attr_function)(MPI_Comm comm, int keyval, void *value, void *extra);
typedef int(MPI_Type_copy_attr_function)(MPI_Datatype old, int keyval, void *extra, void *in, void *out, int *flag);
typedef int(MPI_Type_delete_attr_function)(MPI_Datatype datatype, int keyval, void *value, void *extra);
typedef int(MPI_Win_copy_attr_function)(MPI_Win old, int keyval, void *extra, void *in, void *out, int *flag);
typedef int(MPI_Win_delete_attr_function)(MPI_Win win, int keyval, void *value, void *extra);
typedef int(MPI_Copy_function)(MPI_Comm old, int keyval, void *extra, void *in, void *out, int *flag);
typedef int(MPI_Delete_function)(MPI_Comm comm, int keyval, void *value, void *extra);
typedef void(MPI_Comm_errhandler_function)(MPI_Comm *comm, int *code, ...);
typedef void(MPI_File_errhandler_function)(MPI_File *file, int *code, ...);
typedef void(MPI_Win_errhandler_function)(MPI_Win *win, int *code, ...);
typedef void(MPI_Session_errhandler_function)(MPI_Session *session, int *code, ...);
typedef MPI_Comm_errhandler_function MPI_Comm_errhandler_fn;
typedef MPI_File_errhandler_function MPI_File_errhandler_fn;
typedef MPI_Win_errhandler_function MPI_Win_errhandler_fn;
typedef MPI_Session_errhandler_function MPI_Session_errhandler_fn;
typedef void(MPI_Handler_function)(MPI_Comm *comm, int *code, ...);
typedef int(MPI_Grequest_query_function)(void *extra, MPI_Status *status);
typedef int(MPI_Grequest_free_function)(void *extra);
typedef int(MPI_Grequest_cancel_function)(void *extra, int complete);
typedef int(MPI_Datarep_conversion_function)(
    void *user, MPI_Datatype datatype, int count, void *file, MPI_Offset position, void *extra);
typedef int(MPI_Datarep_conversion_function_c)(
    void *user, MPI_Datatype datatype, MPI_Count count, void *file, MPI_Offset position, void *extra);
typedef int(MPI_Datarep_extent_function)(MPI_Datatype datatype, MPI_Aint *extent, void *extra);
typedef void(MPI_T_event_cb_function)(
    MPI_T_event_instance event, MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user);
typedef void(MPI_T_event_free_cb_function)(
    MPI_T_event_registration registration, MPI_T_cb_safety safety, void *user);
typedef void(MPI_T_event_dropped_cb_function)(
    MPI_Count count, MPI_T_event_registration registration, int source, MPI_T_cb_safety safety, void *user);

/* Functions that the standard defines for such places */
int MPIR_Dup_fn(MPI_Comm old, int keyval, void *extra, void *in, void *out, int *flag);
#define MPI_NULL_COPY_FN ((MPI_Copy_function *)0)
#define MPI_NULL_DELETE_FN ((MPI_Delete_function *)0)
#define MPI_DUP_FN MPIR_Dup_fn
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)0)
#define MPI_COMM_NULL_DELETE_FN ((MPI_Comm_delete_attr_function *)0)
#define MPI_COMM_DUP_FN ((MPI_Comm_copy_attr_function *)MPI_DUP_FN)
#define MPI_TYPE_NULL_COPY_FN ((MPI_Type_copy_attr_function *)0)
#define MPI_TYPE_NULL_DELETE_FN ((MPI_Type_delete_attr_function *)0)
#define MPI_TYPE_DUP_FN ((MPI_Type_copy_attr_function *)MPI_DUP_FN)
#define MPI_WIN_NULL_COPY_FN ((MPI_Win_copy_attr_function *)0)
#define MPI_WIN_NULL_DELETE_FN ((MPI_Win_delete_attr_function *)0)
#define MPI_WIN_DUP_FN ((MPI_Win_copy_attr_function *)MPI_DUP_FN)
#define MPI_CONVERSION_FN_NULL ((MPI_Datarep_conversion_function *)0)
#define MPI_CONVERSION_FN_NULL_C ((MPI_Datarep_conversion_function_c *)0)
@constants@

/* Addresses with a meaning */
#define MPI_BOTTOM ((void *)0)
#define MPI_IN_PLACE ((void *)-1)
#define MPI_BUFFER_AUTOMATIC ((void *)-2)
#define MPI_STATUS_IGNORE ((MPI_Status *)1)
#define MPI_STATUSES_IGNORE ((MPI_Status *)1)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_ARGV_NULL ((char **)0)
#define MPI_ARGVS_NULL ((char ***)0)
extern int *const MPI_UNWEIGHTED;
extern int *const MPI_WEIGHTS_EMPTY;
extern MPI_Fint *MPI_F_STATUS_IGNORE;
extern MPI_Fint *MPI_F_STATUSES_IGNORE;
extern MPI_F08_status *MPI_F08_STATUS_IGNORE;
extern MPI_F08_status *MPI_F08_STATUSES_IGNORE;

/* Handles in C and in Fortran are the same numbers. */
#define MPI_Comm_c2f(comm) ((MPI_Fint)(comm))
#define MPI_Comm_f2c(comm) ((MPI_Comm)(comm))
#define MPI_Type_c2f(datatype) ((MPI_Fint)(datatype))
#define MPI_Type_f2c(datatype) ((MPI_Datatype)(datatype))
#define MPI_Group_c2f(group) ((MPI_Fint)(group))
#define MPI_Group_f2c(group) ((MPI_Group)(group))
#define MPI_Info_c2f(info) ((MPI_Fint)(info))
#define MPI_Info_f2c(info) ((MPI_Info)(info))
#define MPI_Op_c2f(op) ((MPI_Fint)(op))
#define MPI_Op_f2c(op) ((MPI_Op)(op))
#define MPI_Request_c2f(request) ((MPI_Fint)(request))
#define MPI_Request_f2c(request) ((MPI_Request)(request))
#define MPI_Errhandler_c2f(errhandler) ((MPI_Fint)(errhandler))
#define MPI_Errhandler_f2c(errhandler) ((MPI_Errhandler)(errhandler))
#define MPI_Message_c2f(message) ((MPI_Fint)(message))
#define MPI_Message_f2c(message) ((MPI_Message)(message))
#define MPI_Win_c2f(win) ((MPI_Fint)(win))
#define MPI_Win_f2c(win) ((MPI_Win)(win))
#define MPI_Session_c2f(session) ((MPI_Fint)(session))
#define MPI_Session_f2c(session) ((MPI_Session)(session))

@functions@

#ifdef __cplusplus
}
#endif

#endif
