! ui: levels
! Unneeded payloads are not live.
program t
  use mpi
  integer :: n, m, k, flag, ierr, request, status(mpi_status_size)
  real :: x, y
  call mpi_init(ierr)
  call mpi_send(x, 1, mpi_real, 0, 1, mpi_comm_world, ierr)
  call mpi_recv(y, 1, mpi_real, 0, 1, mpi_comm_world, status, ierr)
  print *, y
  call mpi_finalize(ierr)
end program
