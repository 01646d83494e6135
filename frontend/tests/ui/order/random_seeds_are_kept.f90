! ui: order diagnostics
! What begins random numbers must be the same each time: PUT=, or REPEATABLE as a constant.
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
  call random_init(.false., .false.)
!case 2
  call random_init(image_distinct=.true., repeatable=.false.)
!case 3
  call random_init(flag, .true.)
!case 4
  call random_init(.true., .false.)
!case 5
  call random_init(image_distinct=.false., repeatable=.TRUE.)
!case 6
  call random_seed(size=k)
!case 7
  call random_seed()
!case 8
  call random_seed(size=k)
  call random_seed(put=table)
!case 9
  call system_clock(k)
  table = k
  call random_seed(put=table)
!end case
  call random_number(y)
  if (y > 2) call mpi_barrier(mpi_comm_world, error)

  call mpi_finalize(error)
end program
