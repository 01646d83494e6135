! ui: levels
! Each collective is its own class.
program t
  use mpi
  integer :: n, m, k, flag, ierr, request, status(mpi_status_size)
  real :: x, y
  call mpi_init(ierr)
  call mpi_bcast(n, 1, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_allreduce(x, y, n, mpi_real, mpi_sum, mpi_comm_world, ierr)
  call mpi_comm_dup(mpi_comm_world, m, ierr)
  call mpi_finalize(ierr)
end program
