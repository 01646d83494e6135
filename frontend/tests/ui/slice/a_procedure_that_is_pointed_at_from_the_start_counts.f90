! ui: slice
! A procedure that is pointed at from the start counts.
module v
contains
  subroutine set(k)
    integer :: k
    k = 9
  end subroutine
end module
module w
  use v
  procedure(set), pointer :: p => set
end module
program t
  use mpi
  use w
  integer :: ierr, x(9), m
  call p(m)
  call mpi_bcast(x, m, mpi_integer, 0, mpi_comm_world, ierr)
end program
