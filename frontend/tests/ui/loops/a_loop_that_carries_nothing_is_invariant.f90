! ui: loops
! A loop that carries nothing is invariant.
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
  do i = 1, n
!case 1
    x(i) = x(i) + i
!case 2
    len = n
!end case
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
