! ui: slice
! A copy of an object points where the object does.
module w
  type box
    integer, pointer :: inner
  end type
end module
program t
  use mpi
  use w
  integer, target :: n
  type(box) :: a, b
  integer :: ierr, x(9)
  n = 1
  a%inner => n
  b = a
  b%inner = 3
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr)
end program
