! ui: slice
! State behind handles is followed.
program t
  use mpi
  integer :: n, k, ierr, seeds(8)
  logical :: there
  real :: x(10), r
  character(20) :: text
  call mpi_init(ierr)
  n = 1
  call mpi_info_create(k, ierr)
  call mpi_info_set(k, 'a', 'b', ierr)
  call mpi_info_get(k, 'a', 20, text, there, ierr)
  if (there) n = 2
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
