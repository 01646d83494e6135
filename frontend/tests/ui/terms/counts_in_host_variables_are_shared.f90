! ui: terms
! Counts in host variables are shared.
! - Known by that name only where it is mentioned: the caller's own may hide it.
! - A procedure's own variable is another one in each of its calls.
program t
  use mpi
  integer :: ierr, n, me
  real :: x(100)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  call fill() !block
  call mpi_barrier(mpi_comm_world, ierr)
!else
  call step()
!end case
  call mpi_finalize(ierr)
contains
  subroutine step()
!case 1

!case 2 4
    if (n > 5) call mpi_barrier(mpi_comm_world, ierr)
!case 3
    integer :: n
    n = 3
!case 5
    if (me > 5) call mpi_barrier(mpi_comm_world, ierr)
!end case
    call mpi_barrier(mpi_comm_world, ierr)
!case 1
    call fill()
!else
    call fill() !block
!end case
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
  recursive subroutine fill()
    integer :: j
!case 4
    n = int(x(1))
!case 5
    integer :: n
    n = 4
    if (x(1) > 0) call fill()
!else

!end case
    do j = 1, n
      x(j) = 0
    end do
  end subroutine
end program
