! ui: terms
! A DO without control that begins with a conditional EXIT counts as the DO WHILE with the opposite condition does.
! - 3: with an EXIT after another statement it is no such loop.
program t
  use mpi
  integer, parameter :: n = 200
  integer :: me, np, ierr, i, k
  real :: u(1000)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  read *, u
  call mpi_barrier(mpi_comm_world, ierr)
  k = me + 1
!case 1
  do !block
    if (k > n) exit
    u(k) = u(k) + 1
    k = k + np
  end do
!case 2
  k = n !block
  do
    if (me >= k) exit
    u(k) = u(k) + 1
    do i = 1, np
      u(i) = u(i) + 1
    end do
    k = k - 3
  end do
!case 3
  do !block
    u(k) = u(k) + 1
    if (k > n) exit
    k = k + np
  end do
!end case
  call mpi_finalize(ierr)

end program
