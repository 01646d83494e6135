! ui: order diagnostics
! All clocks are clocks; random numbers without a seed differ in each run. Neither is predicted.
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
  if (y > 2) call mpi_barrier(mpi_comm_world, error)

!case 2
  y = omp_get_wtime()
  if (y > 2) call mpi_barrier(mpi_comm_world, error)

!case 3
  call random_number(y)
  if (y > 2) call mpi_barrier(mpi_comm_world, error)

!case 4
  call system_clock(k)
  if (k > 2) call mpi_barrier(mpi_comm_world, error)
!case 5
  call date_and_time(values=table)
  if (table(1) > 2) call mpi_barrier(mpi_comm_world, error)
!case 6
  call random_seed(put=table)
  call random_number(y)
  if (y > 2) call mpi_barrier(mpi_comm_world, error)

!case 7
  call cpu_time(y)
  print *, y
!end case
  call mpi_finalize(error)
end program
