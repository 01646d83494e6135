! ui: slice
! A parent is a component of its extensions, and a CLASS may be any: such objects are one place.
module w
  type base
    integer :: a
  end type
  type, extends(base) :: more
    integer :: b
  end type
contains
  subroutine set(x)
    class(base) :: x
    x%a = 3
  end subroutine
end module
program t
  use mpi
  use w
  type(more) :: x
  integer :: ierr, d(9)
  call set(x)
  x%b = 1
  x%base%a = 2
  call mpi_bcast(d, x%a, mpi_integer, 0, mpi_comm_world, ierr)
end program
