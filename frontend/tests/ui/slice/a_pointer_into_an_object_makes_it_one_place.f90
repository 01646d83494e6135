! ui: slice
! A pointer into an object makes it one place.
program t
  use mpi
  type pair
    integer :: a, b
  end type
  type(pair), target :: x
  integer, pointer :: p
  integer :: ierr, d(9)
  p => x%a
  p = 3
  x%b = 1
  call mpi_bcast(d, x%a, mpi_integer, 0, mpi_comm_world, ierr)
end program
