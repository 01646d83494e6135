! ui: order
! What is left of requests when one of them has completed.
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
  call mpi_waitany(n, reqs, index, status, error)
  call mpi_waitall(n, reqs, statuses, error)
  call mpi_get_count(statuses, mpi_real, k, error)
  if (k > 2) call mpi_barrier(mpi_comm_world, error)
!case 2
  call mpi_waitany(n, reqs, index, status, error)
  flag = .false.
  do while (.not. flag)
    call mpi_test(side(1), flag, mpi_status_ignore, error)
  end do
  do i = 1, n
    call mpi_waitany(n, reqs, index, status, error)
    if (index > 0) total = total + index
  end do
  if (total > 3) call mpi_barrier(mpi_comm_world, error)
!case 3
  call mpi_improbe(0, 1, mpi_comm_world, flag, k, status, error)
  if (k /= mpi_message_null) call mpi_barrier(mpi_comm_world, error)
!end case
  call mpi_finalize(error)
end program
