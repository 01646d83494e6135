! ui: terms
! Constants are named where their names are visible.
! - The module's statements stand in another order where it includes a file.
module field
!case 1 9
  use mpi
!case 2
  use mpi_f08
!case 3
  !
  include 'mpif.h'
!case 4
  use mpi, only: mpi_proc_null
!case 5
  use mpi
  private :: mpi_any_tag
!case 6
  use mpi
  private
  public :: west, n, boundary, mpi_proc_null
!case 7 8

!end case
  implicit none
  integer :: west, n
  real(8) :: u(1000)
contains
  subroutine boundary()
!case 7
    use mpi
!case 8
    !
    include 'mpif.h'
!else

!end case
    if (west == mpi_proc_null) u(1:n) = u(1:n) + 1
  end subroutine
end module
program edge
!case 7
  use mpi
  use field
!case 8
  use field
  !
  include 'mpif.h'
!case 9
  use field, nothing => mpi_any_tag
!else
  use field
!end case
  implicit none
  integer :: e, r, it
  call start
  call work
contains
  subroutine start
    use mpi
    call mpi_init(e)
    call mpi_comm_rank(mpi_comm_world, r, e)
    west = r - 1
    if (r == 0) west = mpi_proc_null
    n = 1000
  end subroutine
  subroutine work
    do it = 1, 3
      call boundary() !block
      call mpi_barrier(91, e)
    end do
    call mpi_finalize(e)
  end subroutine
end program
