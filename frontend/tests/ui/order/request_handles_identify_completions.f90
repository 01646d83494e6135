! ui: order
! Which requests are null says which have completed.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
  call mpi_waitany(n, reqs, index, status, error)
!case 1

!case 2
  if (reqs(2) == mpi_request_null) call mpi_barrier(mpi_comm_world, error)
!case 3
  k = reqs(2)
  if (k == mpi_request_null) call mpi_barrier(mpi_comm_world, error)
!case 4
  k = count(reqs == mpi_request_null)
  do i = 1, k
    call mpi_barrier(mpi_comm_world, error)
  end do
!case 5
  call mpi_wait(reqs(2), status, error)
  k = reqs(2)
  call mpi_wait(k, status, error)
!end case
  call mpi_finalize(error)
end program
