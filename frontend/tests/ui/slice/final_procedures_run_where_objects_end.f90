! ui: slice
! Final procedures run where objects end.
module w
  integer :: n = 1
  type box
    integer :: v = 2
  contains
    final :: ended
  end type
contains
  subroutine ended(x)
    type(box), intent(inout) :: x
    n = n + 1
  end subroutine
  subroutine out(x)
    type(box), intent(out) :: x
  end subroutine
  subroutine local
    type(box) :: z
    z%v = 1
  end subroutine
end module
program t
  use mpi
  use w
  type(box), pointer :: z
  integer :: ierr, b(9)
  allocate(z)
!case 1
  call local
!case 2
  deallocate(z)
!case 3
  call out(z)
!case 4
  z = box(4)
!end case
  call mpi_bcast(b, n, mpi_integer, 0, mpi_comm_world, ierr)
end program
