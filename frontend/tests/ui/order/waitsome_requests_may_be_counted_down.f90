! ui: order
! Requests may be counted down.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
!case 1 18 19
  count = n
  do while (count > 0)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 2
  count = n
  y = 1
  if (flag) y = 2
  do while (count > 0)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 3
  if (flag) then
    count = n
  else
    count = n
  end if
  do while (count > 0)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 4
  count = n
  do while (0 < count)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 5
  count = n
  do while (count /= 0)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 6
  count = n
  do while (0 /= count)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 7 8 9
  count = n
  do
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 10
  count = n - 1
  do while (count > 0)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 11
  count = 3
  do while (count > 0)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 12
  if (flag) count = n
  do while (count > 0)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 13
  count = n
  if (flag) count = 2
  do while (count > 0)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 14
  count = n
  do while (count > 1)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 15
  count = n
  do while (count < 0)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 16
  count = n
  do while (count >= 0)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 17
  count = n
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 20
  last = 3
  count = last
  do while (count > 0)
    call mpi_waitsome(last, reqs, m, list, statuses, error)
!case 21
  last = 3
  count = last
  if (flag) y = 2
  do while (count > 0)
    call mpi_waitsome(last, reqs, m, list, statuses, error)
!case 22
  last = 3
  count = last
  last = 2
  do while (count > 0)
    call mpi_waitsome(last, reqs, m, list, statuses, error)
!case 23
  last = 3
  count = last
  if (flag) last = 2
  do while (count > 0)
    call mpi_waitsome(last, reqs, m, list, statuses, error)
!case 24
  last = 3
  count = last
  do last = 1, 2
  end do
  do while (count > 0)
    call mpi_waitsome(last, reqs, m, list, statuses, error)
!case 25
  last = 3
  count = m
  do while (count > 0)
    call mpi_waitsome(last, reqs, m, list, statuses, error)
!case 26
  do other = 1, 2
    count = n
    do while (count > 0)
      call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 27
  count = n
  do other = 1, 2
    do while (count > 0)
      call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 28
  count = n
  do other = 1, 2
    if (other == 1) count = n
    do while (count > 0)
      call mpi_waitsome(n, reqs, m, list, statuses, error)
!end case
    do k = 1, m
    total = total + length(list(k))
    end do
!case 7
    count = count - m
    if (count == 0) exit
!case 8
    count = count - m
    if (count <= 0) exit
!case 9
    count = count - m
    if (0 >= count) exit
!case 18
    count = m - count
!case 19
    count = count - 1
!case 26 27 28
      count = count - m
    end do
!else
    count = count - m
!end case
  end do
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
  call mpi_finalize(error)
end program
