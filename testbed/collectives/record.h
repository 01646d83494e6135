/* What the recorder (record.c) needs of a library's shim. */
#ifndef RECORD_H
#define RECORD_H
#include <mpi.h>

/* Notes a message of `elements` elements to the rank `to` of a communicator, unless recording is off or the receiver is no
 * process. Algorithms with two levels send on communicators of one node, and of one rank of each node. */
void note(long elements, MPI_Datatype type, int to, MPI_Comm on);

/* Puts the shim in place, after MPI_Init. */
void start_shim(void);
#endif
