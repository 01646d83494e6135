/* Open MPI: collectives send through the table of functions of the chosen point-to-point component, the global `mca_pml`.
 * Its entries for sends are exchanged. Layout and arguments are those of ompi/mca/pml/pml.h in Open MPI 4.1 and 5.0; an MPI handle is a
 * pointer to the library's object. */
#include "record.h"
#include <stddef.h>

enum { PML_ISEND_INIT = 9, PML_ISEND = 10, PML_SEND = 11 };
extern void *mca_pml[];

typedef int (*Send)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm);
typedef int (*Isend)(const void *, size_t, MPI_Datatype, int, int, int, MPI_Comm, MPI_Request *);
static Send real_send;
static Isend real_isend, real_isend_init;

static int wrap_send(const void *b, size_t n, MPI_Datatype t, int to, int tag, int mode, MPI_Comm c)
{
    note(n, t, to);
    return real_send(b, n, t, to, tag, mode, c);
}
static int wrap_isend(const void *b, size_t n, MPI_Datatype t, int to, int tag, int mode, MPI_Comm c, MPI_Request *r)
{
    note(n, t, to);
    return real_isend(b, n, t, to, tag, mode, c, r);
}
/* Persistent sends are started in the order in which they are made. */
static int wrap_isend_init(const void *b, size_t n, MPI_Datatype t, int to, int tag, int mode, MPI_Comm c, MPI_Request *r)
{
    note(n, t, to);
    return real_isend_init(b, n, t, to, tag, mode, c, r);
}

void start_shim(void)
{
    real_send = (Send) mca_pml[PML_SEND];
    real_isend = (Isend) mca_pml[PML_ISEND];
    real_isend_init = (Isend) mca_pml[PML_ISEND_INIT];
    mca_pml[PML_ISEND_INIT] = (void *) wrap_isend_init;
    mca_pml[PML_SEND] = (void *) wrap_send;
    mca_pml[PML_ISEND] = (void *) wrap_isend;
}
