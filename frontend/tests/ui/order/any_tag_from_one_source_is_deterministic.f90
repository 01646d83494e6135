! ui: order
! Messages of one source do not overtake each other: the source alone determines the message that
! any tag receives.
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
  call mpi_recv(x, 1, mpi_real, 2, mpi_any_tag, mpi_comm_world, status, error)
!case 2
  call mpi_probe(2, mpi_any_tag, mpi_comm_world, status, error)
!case 3
  call mpi_recv(x, 1, mpi_real, mpi_any_source, mpi_any_tag, mpi_comm_world, status, error)
!case 4
  call mpi_probe(mpi_any_source, mpi_any_tag, mpi_comm_world, status, error)
!end case
  if (status(mpi_tag) > 2) call mpi_barrier(mpi_comm_world, error)

  call mpi_finalize(error)
end program
