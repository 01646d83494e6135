! ui: order
! The caller of a wrapper reads the result of the MPI call in it.
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
  call take(k)
!case 2
  call take(k)
  if (k > 2) call mpi_barrier(mpi_comm_world, error)
!case 3
  if (ready()) call mpi_barrier(mpi_comm_world, error)
!case 4
  flag = ready()
  if (flag) call mpi_barrier(mpi_comm_world, error)
!case 5
  flag = ready()
!end case
  call mpi_finalize(error)
contains
  subroutine take(position)
    integer :: position
    call mpi_waitany(n, reqs, position, mpi_status_ignore, error)
  end subroutine
  logical function ready()
    call mpi_test(side(1), ready, mpi_status_ignore, error)
  end function
end program
