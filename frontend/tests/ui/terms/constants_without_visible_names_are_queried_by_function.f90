! ui: terms
! Constants without visible names are queried by function.
module field
!case 5
  use mpi
  private
  public :: west, n, boundary
!case 6
  use mpi
!else

!end case
  implicit none
  integer :: west, n
  real(8) :: u(1000)
contains
  subroutine boundary()
!case 5 6

!else
    use mpi
!end case
    if (west == mpi_proc_null) u(1:n) = u(1:n) + 1
  end subroutine
end module
program edge
!case 1 5
  use field
!case 2
  use field
  use mpi, only: mpi_comm_world
!case 3
  use field
  use mpi, only: no_rank => mpi_proc_null
!case 4
  use field
  use mpi, no_rank => mpi_proc_null
!case 6
  use field, only: west, n, boundary
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
