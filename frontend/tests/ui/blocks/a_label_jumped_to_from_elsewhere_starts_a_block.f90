! ui: blocks
! A label jumped to from elsewhere starts a block.
program t
  use mpi
  integer :: ierr, k
  real :: x
  call mpi_init(ierr)
  read *, k
  if (k > 2) goto 10
  call mpi_barrier(mpi_comm_world, ierr)
  x = 1
10 x = 2
  call mpi_finalize(ierr)
end program
