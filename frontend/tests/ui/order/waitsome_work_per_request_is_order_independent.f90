! ui: order
! Work per request is order independent.
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
  do while (count < n)
    call mpi_waitsome(n, reqs, m, list, statuses, error)
    do k = 1, m
!case 1
      index = list(k)
      total = total + length(index)
!case 2
      if (list(k) > 2) total = total + 1
!case 3
      total = total + statuses(mpi_tag, k)
!case 4
      table(list(k)) = length(list(k))
!case 5
      index = list(k)
      table(index) = length(index)
!case 6
      call mpi_get_count(statuses(1, k), mpi_real, j, error)
      total = total + j
!case 7
      index = list(k)
      do j = 1, length(index)
        x(j) = x(j) + 1
!case 8
      do j = 1, m
        x(j) = x(j) + 1
!case 9
      do j = 1, k
        x(j) = x(j) + 1
!case 10
      last = last + list(k)
      do j = 1, last
        x(j) = x(j) + 1
!end case
    end do
!case 7 8 9 10
    end do
!end case
    count = count + m
  end do
!case 1 2 3 6
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
!case 4 5
  if (table(2) > 3) call mpi_barrier(mpi_comm_world, error)
!case 7 8 9 10

!end case
  call mpi_finalize(error)
end program
