! The seed of each rank is its own.
program random_seed_before
  implicit none
  include 'mpif.h'
  integer :: rank, error
  double precision :: own, all(3)
  call random_seed()
  call mpi_init(error)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, error)
  call random_number(own)
  call mpi_gather(own, 1, MPI_DOUBLE_PRECISION, all, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  if (rank == 0 .and. all(1) /= all(2) .and. all(2) /= all(3)) print '(a)', 'different'
  call mpi_finalize(error)
end program
