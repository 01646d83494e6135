! ui: order
! Wildcards go through variables, constants and arguments.
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
  call mpi_recv(x, 1, mpi_real, mpi_any_source, 1, mpi_comm_world, status, error)
!case 2
  k = mpi_any_source
  call mpi_recv(x, 1, mpi_real, k, 1, mpi_comm_world, status, error)
!case 3
  table(2) = mpi_any_source
  call mpi_recv(x, 1, mpi_real, table(2), 1, mpi_comm_world, status, error)
!case 4
  call mpi_recv(x, 1, mpi_real, merge(mpi_any_source, 1, flag), 1, mpi_comm_world, status, error)
!case 5
  call take(mpi_any_source, status)
!case 6
  call take(3, status)
!case 7
  k = 3
  call mpi_recv(x, 1, mpi_real, k, 1, mpi_comm_world, status, error)
!end case
  if (status(mpi_source) > 2) call mpi_barrier(mpi_comm_world, error)
!case 5 6
!else

!end case
  call mpi_finalize(error)
!case 5 6
contains
  subroutine take(source, found)
    integer :: source, found(mpi_status_size)
    call mpi_recv(x, 1, mpi_real, source, 1, mpi_comm_world, found, error)
  end subroutine
!end case
end program
