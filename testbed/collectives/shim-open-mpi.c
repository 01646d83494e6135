/* Open MPI: collectives send through the table of functions of the chosen point-to-point component, the global `mca_pml`.
 * Its entries for sends are exchanged. Layout and arguments are those of ompi/mca/pml/pml.h in Open MPI 4.1 and 5.0, which has one entry more before
 * them; an MPI handle is a pointer to the library's object. */
#include "record.h"
#include <stddef.h>
#include <string.h>

enum { PML_ISEND_INIT, PML_ISEND, PML_SEND };
extern void *mca_pml[];

typedef int (*Send)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm);
typedef int (*Isend)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm, MPI_Request *);
static Send real_send;
static Isend real_isend, real_isend_init;

static int wrap_send(const void *b, size_t n, MPI_Datatype t, int to, int tag, int mode, MPI_Comm c)
{
    note(n, t, to, c);
    return real_send(b, n, t, to, tag, mode, c);
}
static int wrap_isend(const void *b, size_t n, MPI_Datatype t, int to, int tag, int mode, MPI_Comm c, MPI_Request *r)
{
    note(n, t, to, c);
    return real_isend(b, n, t, to, tag, mode, c, r);
}
/* Persistent sends are started in the order in which they are made. */
static int wrap_isend_init(const void *b, size_t n, MPI_Datatype t, int to, int tag, int mode, MPI_Comm c, MPI_Request *r)
{
    note(n, t, to, c);
    return real_isend_init(b, n, t, to, tag, mode, c, r);
}

void start_shim(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    PMPI_Get_library_version(version, &length);
    void **sends = mca_pml + (strncmp(version, "Open MPI v4.", 12) == 0 ? 9 : 10);
    real_send = (Send) sends[PML_SEND];
    real_isend = (Isend) sends[PML_ISEND];
    real_isend_init = (Isend) sends[PML_ISEND_INIT];
    sends[PML_ISEND_INIT] = (void *) wrap_isend_init;
    sends[PML_SEND] = (void *) wrap_send;
    sends[PML_ISEND] = (void *) wrap_isend;
}
