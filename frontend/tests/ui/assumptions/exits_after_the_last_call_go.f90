! ui: slice assumptions
! What comes after MPI_Finalize decides nothing.
program t
  use mpi
  integer :: ierr
  real :: x(10)
  call mpi_init(ierr)
  x = 1
  call mpi_finalize(ierr)
  if (sum(x) < 3) stop 1
end program
