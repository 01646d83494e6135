! ui: order diagnostics
! Wildcards are named and unknown functions listed.
program t
  use mpi
  integer :: ierr, win, status(mpi_status_size)
  real :: x
  call mpi_init(ierr)
  call mpi_recv(x, 1, mpi_real, mpi_any_source, 1, mpi_comm_world, status, ierr)
  if (status(mpi_source) == 1) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_put(x, ierr)
  call mpi_finalize(ierr)
end program
