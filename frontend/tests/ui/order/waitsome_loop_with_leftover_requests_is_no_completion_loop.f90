! ui: order
! Loops that may leave requests, report them twice, or do something once for each call.
! - What is there is counted before the last are looked at.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
!case 1
  count = 1
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 2
  count = j
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 3
  if (flag) count = 0
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 4
  count = 0
  do while (count < n - 1)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 5
  count = 0
  do while (count < 3)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 6
  count = 0
  do while (count < m)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 7
  count = 0
  do while (count <= n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 8
  count = 0
  do while (count > n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 9
  count = 0
  do while (count < n .and. flag)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 10
  count = 0
  do while (count < n)
    call mpi_waitsome(3, reqs, m, list, statuses, error)
    do k = 1, m
!case 11
  count = 0
  do while (count < n)
    call mpi_waitsome(count, reqs, m, list, statuses, error)
    do k = 1, m
!case 12
  count = 0
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 2, m
!case 13
  count = 0
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m - 1
!case 14
  count = 0
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m, 2
!case 15
  count = 0
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, n
!case 16 17 18 19 20 21 22 23 28 29
  count = 0
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 24
  count = 0
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    m = min(m, 2)
    do k = 1, m
!case 25
  count = 0
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    list(1) = 2
    do k = 1, m
!case 26
  count = 0
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    if (m > 2) cycle
    do k = 1, m
!case 27
  count = 0
  do while (count < n)
    y = y + 1
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 30
  count = 0
  do
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    count = count + m
    if (count == n) exit
    do k = 1, m
!end case
      total = total + length(list(k))
!case 28
      count = 0
!case 29
      if (list(k) == 2) exit
!end case
    end do
!case 16
    count = count + 1
!case 17
    count = count - m
!case 18
    if (flag) count = count + m
!case 19
    count = count + m
    count = count + m
!case 20
    count = count + m
    if (count > 2) exit
!case 21
    count = count + m
    total = total + 1
!case 22
    count = count + m
    do i = 1, 5
      x(i) = x(i) + 1
    end do
!case 23
    count = count + m
    call mpi_barrier(mpi_comm_world, error)
!case 30
!else
    count = count + m
!end case
  end do
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
  call mpi_finalize(error)
end program
