! ui: order diagnostics
! A decision is reported with its own place and the clock readings that reach it, and no others.
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
  call cpu_time(y)
!end case
  sum = mpi_wtime()
!case 1
  call mpi_barrier(mpi_comm_world, error)
  if (y > 1) m = 2
  x = sum
  call mpi_bcast(x, m, mpi_real, 0, mpi_comm_world, error)
  call random_number(y)
  k = int(y)
  do i = 1, k
    call mpi_barrier(mpi_comm_world, error)
  end do
!case 2
  if (sum > 1) call mpi_barrier(mpi_comm_world, error)
!end case
  call mpi_finalize(error)
end program
