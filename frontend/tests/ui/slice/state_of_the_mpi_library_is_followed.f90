! ui: slice
! State of the MPI library is followed.
program t
  use mpi
  integer :: n, k, ierr, seeds(8)
  logical :: there
  real :: x(10), r
  character(20) :: text
  call mpi_init(ierr)
  n = 1
  call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, ierr)
  call mpi_buffer_attach(x, 40, ierr)
  call mpi_irecv(x, n, mpi_real, 0, 1, mpi_comm_world, k, ierr)
  call mpi_cancel(k, ierr)
  call mpi_request_free(k, ierr)
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
