! ui: counting
! Final value of a do variable is assigned where read.
program t
  use mpi
  implicit none
  integer :: ierr, i, j, k, n, m, me, len
  real :: x(100), step
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  m = me
  len = 0
  do i = 3, n, 2
    x(i) = 1
  end do
  len = i
  call mpi_send(x, len, mpi_real, 0, 1, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
