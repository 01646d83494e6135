! ui: order
! A function among the arguments would do what it does as often as is asked.
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
!case 1
    call mpi_test(reqs(max(1, k)), flag, status, error)
!case 2
    call mpi_test(reqs(next()), flag, status, error)
!case 3
    call mpi_iprobe(next(), 1, mpi_comm_world, flag, status, error)
!case 4
    call mpi_iprobe(0, next(), mpi_comm_world, flag, status, error)
!end case
  end do
  if (m > 3) call mpi_barrier(mpi_comm_world, error)
  call mpi_finalize(error)
contains
  integer function next()
    m = m + 1
    next = 1
  end function
end program
