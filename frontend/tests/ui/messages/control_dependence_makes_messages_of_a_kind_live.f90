! ui: levels
! Control dependence makes messages of a kind live.
program t
  use mpi
  integer :: n, m, k, flag, ierr, request, status(mpi_status_size)
  real :: x, y
  call mpi_init(ierr)
  call mpi_send(m, 1, mpi_integer, 0, 1, mpi_comm_world, ierr)
  call mpi_irecv(n, 1, mpi_integer, 0, 1, mpi_comm_world, request, ierr)
  call mpi_wait(request, status, ierr)
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
