/* Another MPI library, whose programs have one rank. */
#ifdef OPEN_MPI
int ompi_mpi_comm_world;
#endif
static int has_begun;
int MPI_Init(int *argc, char ***argv) { return (void)argc, (void)argv, has_begun = 1, 0; }
int MPI_Initialized(int *flag) { return *flag = has_begun, 0; }
int PMPI_Initialized(int *flag) { return *flag = has_begun, 0; }
int MPI_Comm_rank(int comm, int *rank) { return (void)comm, *rank = 0, 0; }
int MPI_Comm_size(int comm, int *size) { return (void)comm, *size = 1, 0; }
int MPI_Barrier(int comm) { return (void)comm, 0; }
int MPI_Finalize(void) { return 0; }
