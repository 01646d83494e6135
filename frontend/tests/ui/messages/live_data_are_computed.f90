! ui: slice levels
! Sent data are live if received data are.
program t
  use mpi
  integer :: n, m, ierr
  call mpi_init(ierr)
  m = 7
  call mpi_allreduce(m, n, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
