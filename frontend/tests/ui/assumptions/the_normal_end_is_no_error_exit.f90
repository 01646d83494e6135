! ui: slice assumptions
! Pitfall 3: a procedure that always stops, but after MPI_Finalize, is the normal end.
program t
  use mpi
  integer :: ierr
  real :: x(10)
  call mpi_init(ierr)
  x(3) = 1
  if (x(3) > 0) call finish
  call mpi_barrier(mpi_comm_world, ierr)
  call finish
end program
subroutine finish
  use mpi
  integer :: ierr
  call mpi_finalize(ierr)
  stop
end subroutine
