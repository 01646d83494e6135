! Reads a number on rank 0; the others find their standard input empty.
program input
  use iso_fortran_env, only: iostat_end
  implicit none
  include 'mpif.h'
  integer :: rank, ierr, number, state
  logical :: empty
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  number = 0
  read (*, *, iostat=state) number
  empty = state == iostat_end .or. rank == 0
  call mpi_allreduce(MPI_IN_PLACE, empty, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(i0, l2)', number, empty
  call mpi_finalize(ierr)
end program input
