! ui: slice
! A name that is public in a private module is meant.
module a
  private
  integer, public :: n
  integer :: m
  public m
end module
program t
  use mpi
  use a
  integer :: ierr, x(9)
  n = 5
  m = 6
  call mpi_bcast(x, n, mpi_integer, m, mpi_comm_world, ierr)
end program
