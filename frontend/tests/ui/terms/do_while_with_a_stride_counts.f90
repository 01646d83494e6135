! ui: terms
! A DO WHILE whose variable each iteration moves by the same step counts as a DO loop does.
! - 4: the step may be of any size. 5 to 9: CYCLE, a changing bound, a second update, a conditional one, and a condition of reals.
program t
  use mpi
  integer, parameter :: n = 200
  integer :: me, np, ierr, i, j, k, s, first, last, px, py
  integer(8) :: long
  real :: u(1000), x
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  long = np
  read *, x, u
  call mpi_barrier(mpi_comm_world, ierr)
  k = me + 1
!case 1
  do while (k <= n) !block
    u(k) = u(k) + 1
    k = k + np
  end do
!case 2
  k = n !block
  do while (me < k)
    u(k) = u(k) + 1
    do i = 1, np
      u(i) = u(i) + 1
    end do
    k = k - 3
  end do
!case 3
  do while (n - me >= k) !block
    k = 2 + k
    u(k) = u(k) + 1
  end do
!case 4
  do while (long > k) !block
    u(1) = u(1) + 1
    long = long - 2_8
  end do
!case 5
  do while (k <= n) !block
    if (u(k) > 0) cycle
    k = k + np
  end do
!case 6
  s = n !block
  do while (k <= s)
    k = k + np
    s = s - 1
  end do
!case 7
  do while (k <= n) !block
    k = k + 1
    u(k) = 1
    k = k + 1
  end do
!case 8
  do while (k <= n) !block
    u(1) = u(1) + 1
    if (u(1) > 0) k = k + 1
  end do
!case 9
  do while (x <= n) !block
    u(1) = u(1) + 1
    x = x + 1
  end do
!case 10
  do while (k <= n) !block
    u(1) = u(1) + 1
    k = k - 1
  end do
!end case
  call mpi_finalize(ierr)

end program
