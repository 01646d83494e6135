! ui: order
! Order dependent work is rejected.
! - Master and worker.
! - What is in the message depends on who sent it.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
  m = 3
  if (flag) then
    do i = 1, m - 1
      call mpi_recv(x, 100, mpi_real, mpi_any_source, 7, mpi_comm_world, status, error)
!case 1
      total = status(mpi_source)
!case 2
      total = total + i * status(mpi_source)
!case 3
      if (i == 1) total = total + status(mpi_source)
!case 4
      total = 2 * total + status(mpi_source)
!case 5
      if (status(mpi_source) == 2) exit
      total = total + 1
!case 6
      table(i) = status(mpi_source)
!case 7
      table(status(mpi_tag)) = status(mpi_source)
!case 8
      table(status(mpi_source)) = i
!case 9
      sum = sum + status(mpi_source)
!case 10
      total = total + length(status(mpi_source))
!case 11
      call mpi_send(y, 1, mpi_real, status(mpi_source), 8, mpi_comm_world, error)
!case 12
      if (status(mpi_source) == 2) call mpi_barrier(mpi_comm_world, error)
!case 13
      total = total + length(status(mpi_source))
      last = last + status(mpi_source)
      do j = 1, last
        x(j) = x(j) + 1
!case 14
      total = total + length(status(mpi_source))
      if (x(1) > i) then
        do j = 1, 7
          x(j) = x(j) + 1
!case 15
      total = total + int(x(1))
!end case
    end do
!case 13
    end do
!case 14
      end if
    end do
!end case
  else
    call mpi_send(x, 100, mpi_real, 0, 7, mpi_comm_world, error)
  end if
!case 6 7 8
  if (table(2) > 3) call mpi_barrier(mpi_comm_world, error)
!case 9
  if (sum > 3) call mpi_barrier(mpi_comm_world, error)
!case 10
  if (status(mpi_source) > 2) call mpi_barrier(mpi_comm_world, error)
!case 11 12

!else
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
!end case
  call mpi_finalize(error)
end program
