! ui: slice
! Datatypes are committed.
program t
  use mpi
  integer :: n, k, ierr, seeds(8)
  logical :: there
  real :: x(10), r
  character(20) :: text
  call mpi_init(ierr)
  n = 1
  call mpi_type_contiguous(2, mpi_real, k, ierr)
  call mpi_type_commit(k, ierr)
  call mpi_bcast(x, 1, k, 0, mpi_comm_world, ierr)
  call mpi_type_free(k, ierr)
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
