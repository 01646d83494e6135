! ui: work loops
! Stages that a loop around repeats are all in its first iteration; a loop around of few iterations
! is nothing to leave.
program t
  use mpi
  integer :: ierr, i, step, stage, n, me
  real :: x(100), s
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 50
  x = me
!case 1
  do step = 1, n

!case 2
  do step = 1, n
    x = x*2
!case 3
  do step = 1, 3

!end case
    do stage = 1, n
      call mpi_barrier(mpi_comm_world, ierr)
      do i = 1, n !block
        if (x(i) > stage) s = s + x(i)*x(i) + sin(x(i))
      end do
    end do
  end do
  call mpi_finalize(ierr)
end program
