! ui: loops
! Terminal statements that do something are reached.
program t
  use mpi
  implicit none
  integer :: ierr, i, k, n, m, me, len, request, requests(4), status(mpi_status_size), last
  real :: x(100), t0, total(3)
  common /shared/ m, last
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  len = 1
  do 10 i = 1, n
!case 1
  call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
10 continue
!case 2
10 call mpi_barrier(mpi_comm_world, ierr)
!end case
  call mpi_finalize(ierr)
end program
