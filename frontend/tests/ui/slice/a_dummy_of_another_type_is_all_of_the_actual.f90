! ui: slice
! Without an explicit interface the callee may see the storage as another type.
subroutine set(x)
  type seen
    sequence
    integer :: b, a
  end type
  type(seen) :: x
  x%b = 3
end subroutine
program t
  use mpi
  type pair
    sequence
    integer :: a, b
  end type
  type(pair) :: x
  integer :: ierr, d(9)
  x%b = 1
  call set(x)
  call mpi_bcast(d, x%a, mpi_integer, 0, mpi_comm_world, ierr)
end program
