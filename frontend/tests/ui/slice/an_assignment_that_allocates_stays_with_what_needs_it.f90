! ui: slice
! An assignment that allocates stays with what needs it.
program t
  use mpi
  integer, allocatable :: n(:)
  integer :: ierr, x(9)
  n = [1, 2]
  n(1) = 3
  call mpi_bcast(x, n(1), mpi_integer, 0, mpi_comm_world, ierr)
end program
