! ui: slice
! Targets of a procedure pointer stay.
module w
contains
  subroutine one(k)
    integer :: k
    k = 1
  end subroutine
  subroutine two(k)
    integer :: k
    k = 2
  end subroutine
end module
program t
  use mpi
  use w
  procedure(one), pointer :: p
  integer :: ierr, x(9), k, j
  p => one
  call p(k)
  call two(j)
  call mpi_bcast(x, k, mpi_integer, 0, mpi_comm_world, ierr)
end program
