! ui: loops
! Received values prevent invariance.
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
    call mpi_recv(len, 1, mpi_integer, 0, 1, mpi_comm_world, status, ierr)
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!case 2
    call mpi_comm_dup(mpi_comm_world, k, ierr)
!case 3
    read (*, *) len
    call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
!end case
  end do
  call mpi_finalize(ierr)
end program
