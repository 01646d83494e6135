! ui: order
! Work per completion count is order dependent.
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
      total = total + k
!case 2
      total = total + m
!case 3
      total = total + count
!case 4
      total = total + k * list(k)
!case 5
      total = total + list(1)
!case 6
      total = total + list(k) * list(m)
!case 7
      total = total + statuses(mpi_tag, 1)
!case 8
      total = total + statuses(k, k)
!case 9
      total = list(k)
!case 10
      total = 2 * total + list(k)
!case 11
      if (k == 1) total = total + list(k)
!case 12
      if (m > 1) total = total + 1
!case 13
      table(list(k)) = k
!case 14
      table(k) = list(k)
!case 15
      table(list(k)) = table(1)
!case 16
      index = list(1)
      table(index) = length(list(k))
!case 17
      if (list(k) > 1) index = list(k)
      table(index) = length(list(k))
!case 18
      table(list(k)) = length(list(k))
      table(1) = k
!case 19 20 21 22 23
      total = total + length(list(k))
!case 24
      call mpi_send(x, 1, mpi_real, list(k), 1, mpi_comm_world, error)
!case 25
      if (list(k) == 2) call mpi_barrier(mpi_comm_world, error)
!case 26
      if (list(k) == 2) stop
!case 27
      sum = sum + length(list(k))
!end case
    end do
    count = count + m
  end do
!case 1 2 3 4 5 6 7 8 9 10 11 12
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
!case 13 14 15 16 17 18
  if (table(2) > 3) call mpi_barrier(mpi_comm_world, error)
!case 19
  if (m > 3) call mpi_barrier(mpi_comm_world, error)
!case 20
  if (k > 3) call mpi_barrier(mpi_comm_world, error)
!case 21
  if (count > 3) call mpi_barrier(mpi_comm_world, error)
!case 22
  if (list(1) > 3) call mpi_barrier(mpi_comm_world, error)
!case 23
  if (statuses(mpi_tag, 1) > 3) call mpi_barrier(mpi_comm_world, error)
!case 24 25 26

!case 27
  if (sum > 3) call mpi_barrier(mpi_comm_world, error)
!end case
  call mpi_finalize(error)
end program
