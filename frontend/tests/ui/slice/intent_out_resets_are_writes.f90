! ui: slice
! Intent out resets are writes.
module w
  type box
    integer :: v = 1
  end type
contains
  subroutine reset(x)
!case 1
    type(box), intent(out) :: x
!case 2
    class(box), intent( out ) :: x
!case 3
    integer, allocatable, intent(out) :: x
!end case
  end subroutine
end module
program t
  use mpi
  use w
  integer :: ierr, b(9)
!case 3
  integer, allocatable :: z
  allocate(z)
!else
  type(box) :: z
  z%v = 30
!end case
  call reset(z)
!case 3
  call mpi_bcast(b, merge(3, 4, allocated(z)), mpi_integer, 0, mpi_comm_world, ierr)
!else
  call mpi_bcast(b, z%v, mpi_integer, 0, mpi_comm_world, ierr)
!end case
end program
