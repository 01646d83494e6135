! ui: slice
! Plain components stay apart from pointer components.
module w
  type link
    integer :: length
    real, pointer :: buffer(:)
  end type
contains
  subroutine attach(l, x)
    type(link), intent(inout) :: l
    real, target :: x(:)
    l%buffer => x
    l%length = 4
  end subroutine
end module
program t
  use mpi
  use w
  type(link) :: a
  real, target :: x(9)
  integer :: ierr, d(9), i
  call attach(a, x)
  do i = 1, 9
    x(i) = sin(real(i))
  end do
  a%buffer(2) = 1.0
  call mpi_bcast(d, a%length, mpi_integer, 0, mpi_comm_world, ierr)
end program
