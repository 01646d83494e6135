! ui: slice
! Defined output is followed.
module w
  integer :: n = 1
  type box
    integer :: v = 2
!case 1
  contains
    procedure :: put
    generic :: write(formatted) => put
  end type
!end case

!case 2
  end type
  interface write(formatted)
    module procedure put
  end interface
!end case
contains
  subroutine put(x, unit, kind, list, status, message)
    class(box), intent(in) :: x
    integer, intent(in) :: unit, list(:)
    character(*), intent(in) :: kind
    integer, intent(out) :: status
    character(*), intent(inout) :: message
    n = n + 1
  end subroutine
end module
program t
  use mpi
  use w
  type(box) :: z
  integer :: ierr, b(9)
  print *, z
  call mpi_bcast(b, n, mpi_integer, 0, mpi_comm_world, ierr)
end program
