! ui: loops
! Requests may be kept in arrays.
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
    call mpi_irecv(x, 1, mpi_real, 0, 1, mpi_comm_world, requests(1), ierr)
!case 1
    call mpi_irecv(x, 1, mpi_real, 0, 2, mpi_comm_world, requests(2), ierr)
!case 2
    len = requests(1)
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!end case
    call mpi_waitall(2, requests, mpi_statuses_ignore, ierr)
  end do
  call mpi_finalize(ierr)
end program
