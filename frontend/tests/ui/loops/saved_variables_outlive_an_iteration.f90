! ui: loops
! Saved variables outlive an iteration.
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
    call step
  end do
  call mpi_finalize(ierr)
end program
subroutine step
  use mpi
  integer, save :: calls = 0
  integer :: ierr
  real :: x(3)
  if (calls == 0) call mpi_send(x, 1, mpi_real, 0, 1, mpi_comm_world, ierr)
  calls = 1
  call mpi_send(x, 2, mpi_real, 0, 1, mpi_comm_world, ierr)
end subroutine
