! ui: levels
! Use of the source makes the envelope live.
program t
  use mpi
  integer :: n, m, k, flag, ierr, request, status(mpi_status_size)
  real :: x, y
  call mpi_init(ierr)
  call mpi_recv(y, 1, mpi_real, mpi_any_source, 1, mpi_comm_world, status, ierr)
  call mpi_send(x, 1, mpi_real, status(mpi_source), 1, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
