! ui: terms
! Names that programs give to constants are used.
module field
!case 1
  use mpi, only: no_rank => mpi_proc_null
!else
  use mpi
!end case
  implicit none
!case 3
  integer, parameter :: no_rank = mpi_proc_null !
  implicit none
!case 4 5
  integer, parameter, private :: no_rank = mpi_proc_null - 1 !
  implicit none
!end case
  integer :: west, n
  real(8) :: u(1000)
contains
  subroutine boundary()

!case 2
    if (west == mpi_proc_null) u(1:n) = u(1:n) + 1
!else
    if (west == no_rank) u(1:n) = u(1:n) + 1
!end case
  end subroutine
end module
program edge
!case 2
  use field, no_rank => mpi_proc_null
!case 5
  use field, only: west, n, boundary
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
