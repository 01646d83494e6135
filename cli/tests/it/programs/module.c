/* What an interpreter loads: MPI is known to this module alone. */
#include <mpi.h>

int work(void)
{
    MPI_Init(0, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
