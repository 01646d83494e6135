! ui: slice
! The assignment of an object calls those of its components.
module w
  type part
    integer :: v = 1
  contains
    procedure :: take
    generic :: assignment(=) => take
  end type
  type whole
    type(part) :: x
    integer :: n
  end type
  integer :: calls = 0
contains
  subroutine take(a, b)
    class(part), intent(out) :: a
    class(part), intent(in) :: b
    a%v = b%v + 10
    calls = calls + 5
  end subroutine
end module
program t
  use mpi
  use w
  type(whole) :: a, b
  integer :: ierr, x(9)
  a = b
  call mpi_bcast(x, calls, mpi_integer, 0, mpi_comm_world, ierr)
end program
