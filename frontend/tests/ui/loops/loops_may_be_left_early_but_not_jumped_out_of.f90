! ui: loops
! Loops may be left early but not jumped out of.
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
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 1
    if (i == m) exit
!case 2
    if (i == m) goto 10
!end case
  end do
!case 2
  call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
10 continue
!end case
  call mpi_finalize(ierr)
end program
