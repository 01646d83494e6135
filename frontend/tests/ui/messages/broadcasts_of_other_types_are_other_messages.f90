! ui: levels
! Broadcasts of other types are other messages.
program t
  use mpi
  integer :: n, m, k, flag, ierr, request, status(mpi_status_size)
  real :: x, y
  call mpi_init(ierr)
  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_bcast(flag, 1, mpi_logical, 0, mpi_comm_world, ierr)
  call mpi_bcast(x, 1, mpi_double_precision, 0, mpi_comm_world, ierr)
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
