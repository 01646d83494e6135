! ui: slice
! The same for sent data that nothing depends on.
program t
  use mpi
  integer, target :: k
  integer, pointer :: p
  integer :: n, m, ierr, a(9)
  call mpi_init(ierr)
  a = 2
!case 1 4 7
  n = 3
!case 2 3

  n = 3
!end case
  k = 5
!case 1

  call mpi_allreduce(n * 2 + k, m, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!case 2
  call mpi_allreduce(n / k, m, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!case 3
  call mpi_allreduce(n ** k, m, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!case 4
  p => k
  call mpi_allreduce(n + p, m, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!case 5
  n = 3
  call mpi_allreduce(a(n) + k, m, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!case 6
  n = 3
  call mpi_allreduce(sum(a(1:n)), m, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!case 7

  call mpi_allreduce(sum(a), m, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!end case
  call mpi_finalize(ierr)
end program
