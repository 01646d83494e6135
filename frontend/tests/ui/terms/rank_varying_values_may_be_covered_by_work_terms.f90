! ui: terms
! Rank varying values may be covered by work terms.
! - The bound that decides is one of a loop in the block, or the condition is asked at the entry.
module shared
  integer :: given, other
end module
program t
  use mpi
  use shared
  integer :: ierr, i, n, me, ranks, hi, mine, own, few(3), j, coordinates(1), status(mpi_status_size)
  real :: a(1000), time
  logical :: flag
  character(20) :: text
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, ranks, ierr)
  n = 1000
  hi = 0
  a = 1
!case 1
  hi = n/ranks*me
!case 2

!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, n !block
!case 1
    do j = 1, hi
      if (j < hi - 3) a(j) = a(j) + sin(a(j))
    end do
!case 2
    if (me > 2) a(i) = a(i) + sin(a(i))
!end case
  end do
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_send(a, hi + given, mpi_real, mod(me + 1, ranks), 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
contains
  subroutine nothing()
  end subroutine

end program
