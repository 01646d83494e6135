! ui: slice
! A dummy that is pointed at is its actual.
module w
  integer, pointer :: p
contains
  subroutine point(x)
    integer, target :: x
    p => x
  end subroutine
end module
program t
  use mpi
  use w
  integer, target :: n
  integer :: ierr, x(9), k
  n = 1
  k = 7
  call point(n)
  p = 3
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr)
end program
