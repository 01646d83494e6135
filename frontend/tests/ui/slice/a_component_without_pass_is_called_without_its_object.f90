! ui: slice
! A component without pass is called without its object.
module w
  type box
    procedure(set), pointer, nopass :: p => null()
  end type
contains
  subroutine set(k)
    integer :: k
    k = 7
  end subroutine
end module
program t
  use mpi
  use w
  type(box) :: b
  integer :: ierr, x(9), m
  b%p => set
  call b%p(m)
  call mpi_bcast(x, m, mpi_integer, 0, mpi_comm_world, ierr)
end program
