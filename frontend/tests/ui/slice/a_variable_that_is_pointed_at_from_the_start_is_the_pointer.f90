! ui: slice
! A variable that is pointed at from the start is the pointer.
module w
  integer, target :: other = 4
  type box
    integer, pointer :: inner => other
  end type
end module
program t
  use mpi
  use w
  integer, target, save :: n = 4, k = 4
  integer, pointer :: p => n, q => k
  type(box) :: b
  integer :: ierr, x(9)
  p = 8
  q = 8
  b%inner = 3
  call mpi_bcast(x, n + other, mpi_integer, 0, mpi_comm_world, ierr)
end program
