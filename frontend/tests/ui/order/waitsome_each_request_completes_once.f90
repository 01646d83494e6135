! ui: order
! Each request completes once.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
  count = 0
!case 1
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 2
  do while (count < n)
    call mpi_testsome(n, reqs, m, list, statuses, error)
!case 3
  do while (n > count)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 4
  do while (count /= n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 5
  do while (n /= count)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!case 6
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    if (m == mpi_undefined) exit
!case 7
  do
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    if (m == mpi_undefined) exit
!case 8 9 10 11
  do
    call mpi_waitsome(n, reqs, m, list, statuses, error)
!end case
    do k = 1, m
      total = total + length(list(k))
    end do
!case 7 8

!case 9
    count = count + m
    if (count == n) exit
!case 10
    count = count + m
    if (count >= n) exit
!case 11
    count = count + m
    if (n <= count) exit
!else
    count = count + m
!end case
  end do
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
  call mpi_finalize(error)
end program
