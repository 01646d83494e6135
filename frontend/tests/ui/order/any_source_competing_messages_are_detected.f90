! ui: order
! A sender may send twice, and a receive beside the loop takes messages of others.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
!case 1 2 4 5
  m = 3
!case 3
  m = 3
  do j = 1, 2
!case 6
  m = 3
  call mpi_recv(x, 1, mpi_real, 2, 7, mpi_comm_world, mpi_status_ignore, error)
!case 7
  m = 3
  call mpi_recv(x, 1, mpi_real, 2, mpi_any_tag, mpi_comm_world, mpi_status_ignore, error)
!case 8
  m = 3
  call mpi_iprobe(2, 7, mpi_comm_world, done, mpi_status_ignore, error)
!case 9
  m = 3
  call mpi_sendrecv(x, 1, mpi_real, 0, 8, x, 1, mpi_real, 0, 7, mpi_comm_world, mpi_status_ignore, error)
!case 10
  m = 3
  call unknown(x)
!case 11
1 m = 3
  if (k > 7) goto 1
!end case
  if (flag) then
    do i = 1, m - 1
!case 1
      call mpi_recv(x, 100, mpi_real, mpi_any_source, k, mpi_comm_world, status, error)
!case 2
      call mpi_recv(x, 100, mpi_real, mpi_any_source, mpi_any_tag, mpi_comm_world, status, error)
!else
      call mpi_recv(x, 100, mpi_real, mpi_any_source, 7, mpi_comm_world, status, error)
!end case
    total = total + length(status(mpi_source))
    end do
  else
!case 4
    do k = 1, 2
!case 5
    call mpi_send(x, 1, mpi_real, 0, 7, mpi_comm_world, error)
!end case
    call mpi_send(x, 100, mpi_real, 0, 7, mpi_comm_world, error)
!case 4
    end do
!end case
  end if
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
!case 3
  end do
!end case
  call mpi_finalize(error)
end program
