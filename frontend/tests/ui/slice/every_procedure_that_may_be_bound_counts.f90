! ui: slice
! Every procedure that may be bound counts.
module w
  type base
    integer :: n
  contains
    procedure :: size => size_base
  end type
  type, extends(base) :: more
  contains
    procedure :: size => size_more
  end type
contains
  integer function size_base(this)
    class(base) :: this
    size_base = this%n
  end function
  integer function size_more(this)
    class(more) :: this
    integer :: unused
    unused = 4
    size_more = this%n + 1
  end function
end module
program t
  use mpi
  use w
  class(base), allocatable :: o
  integer :: ierr, x(9), k
  allocate(more :: o)
  o%n = 2
  k = o%size()
  call mpi_bcast(x, k, mpi_integer, 0, mpi_comm_world, ierr)
end program
