! ui: order
! The count is 0 whenever the loop begins, not only the first time.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
!case 4 5 6
  count = 0
!end case
  do other = 1, 2
!case 1
    count = 0
!case 2
    count = 0
    y = 1
!case 3
    if (flag) then
      count = 0
    else
      count = 0
    end if
!case 5
    if (flag) count = 0
!case 6
    if (other == 1) count = 0
    y = 1
!end case
    do while (count < n)
      call mpi_waitsome(n, reqs, m, list, statuses, error)
      do k = 1, m
        total = total + length(list(k))
      end do
      count = count + m
    end do
  end do
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
  call mpi_finalize(error)
end program
