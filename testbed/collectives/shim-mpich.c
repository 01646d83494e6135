/* MPICH: its point-to-point layer for collectives is wrapped at link time (ld --wrap), so the program needs the static
 * library. The arguments are those of MPICH 4.0's internal functions. A communicator is an object that begins with its handle. */
#include "record.h"

int __real_MPIC_Send(const void *, MPI_Aint, MPI_Datatype, int, int, void *, void *);
int __wrap_MPIC_Send(const void *b, MPI_Aint n, MPI_Datatype t, int to, int tag, void *c, void *e)
{
    note(n, t, to, *(MPI_Comm *) c);
    return __real_MPIC_Send(b, n, t, to, tag, c, e);
}
int __real_MPIC_Isend(const void *, MPI_Aint, MPI_Datatype, int, int, void *, void *, void *);
int __wrap_MPIC_Isend(const void *b, MPI_Aint n, MPI_Datatype t, int to, int tag, void *c, void *r, void *e)
{
    note(n, t, to, *(MPI_Comm *) c);
    return __real_MPIC_Isend(b, n, t, to, tag, c, r, e);
}
int __real_MPIC_Sendrecv(const void *, MPI_Aint, MPI_Datatype, int, int, void *, MPI_Aint, MPI_Datatype, int, int, void *,
                         MPI_Status *, void *);
int __wrap_MPIC_Sendrecv(const void *b, MPI_Aint n, MPI_Datatype t, int to, int tag, void *rb, MPI_Aint rn,
                         MPI_Datatype rt, int from, int rtag, void *c, MPI_Status *s, void *e)
{
    note(n, t, to, *(MPI_Comm *) c);
    return __real_MPIC_Sendrecv(b, n, t, to, tag, rb, rn, rt, from, rtag, c, s, e);
}

void start_shim(void)
{
}
