! ui: order
! Sums of integers may be taken in any order.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
  flag = .false.
  do while (.not. flag)
    call mpi_test(side(1), flag, mpi_status_ignore, error)
  end do
  do i = 1, n
    call mpi_waitany(n, reqs, index, status, error)
!case 1
    total = total + length(index)
!case 2
    total = total - length(index) * m
!case 3
    total = length(index) + total
!case 4
    if (index > 2) total = total + 1
!case 5
    table(length(index)) = table(length(index)) + 1
!case 6
    total = length(index) - total
!case 7
    total = total + length(index) * i
!case 8
    total = 2 * total + length(index)
!case 9
    total = total + length(index)
    total = total * index
!case 10
    total = total + length(index)
    other = total
!case 11
    total = total + length(index)
    call mpi_get_count(status, mpi_real, count, error)
    do j = 1, total
      x(j) = x(j) + 1
    end do
!case 12
    sum = sum + length(index)
!case 13
    total = total + length(index) * 0.5
!case 14
    total = total + sqrt(sum) * index
!case 15
    total = length(index)
!end case
  end do
!case 5
  if (table(2) > 3) call mpi_barrier(mpi_comm_world, error)
!case 10
  if (other > 3) call mpi_barrier(mpi_comm_world, error)
!case 11

!case 12
  if (sum > 3) call mpi_barrier(mpi_comm_world, error)
!else
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
!end case
  call mpi_finalize(error)
end program
