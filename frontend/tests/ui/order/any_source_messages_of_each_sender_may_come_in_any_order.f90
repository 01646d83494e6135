! ui: order
! Messages of each sender may come in any order.
! - The only send may be of any tag.
! - Other messages have other tags.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
!case 9
  call mpi_send(y, 1, mpi_real, 0, 8, mpi_comm_world, error)
  call mpi_recv(y, 1, mpi_real, 0, 8, mpi_comm_world, statuses, error)
!end case
  m = 3
  if (flag) then
    do i = 1, m - 1
      call mpi_recv(x, 100, mpi_real, mpi_any_source, 7, mpi_comm_world, status, error)
!case 1 8 9
      total = total + length(status(mpi_source))
!case 2
      k = status(mpi_source)
      total = total + length(k)
!case 3
      table(status(mpi_source)) = length(status(mpi_source))
!case 4
      k = status(mpi_source)
      table(k) = 2 * k
!case 5
      if (status(mpi_source) > 2) total = total + 1
!case 6
      call mpi_get_count(status, mpi_real, count, error)
      total = total + count
!case 7
      total = total + length(status(mpi_source))
      y = y + x(3)
!end case
    end do
  else
!case 8
    call mpi_send(x, 100, mpi_real, 0, k, mpi_comm_world, error)
!else
    call mpi_send(x, 100, mpi_real, 0, 7, mpi_comm_world, error)
!end case
  end if
!case 3 4
  if (table(2) > 3) call mpi_barrier(mpi_comm_world, error)
!else
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
!end case
  call mpi_finalize(error)
end program
