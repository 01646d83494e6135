! ui: slice
! Writes through a pointer are followed.
program t !
  use mpi
  integer, target :: n, m
  integer, pointer :: p
  integer :: ierr, x(9)
  n = 1
  m = 2
  p => n
  p = 3
  x = 4
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr)
end program
