! ui: slice
! Keywords of a procedure pointer are those of its interface.
module w
contains
  subroutine own(a, b)
    integer :: a, b
    a = b
  end subroutine
end module
program t
  use mpi
  use w
  procedure(own), pointer :: p
  integer :: ierr, x(9), m, n
  p => own
  n = 3
  call p(b=n, a=m)
  call mpi_bcast(x, m, mpi_integer, 0, mpi_comm_world, ierr)
end program
