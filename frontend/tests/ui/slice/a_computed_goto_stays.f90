! ui: slice
! A computed goto stays.
program t
  use mpi
  integer :: ierr, n
  real :: x
  call mpi_init(ierr)
  read *, n
  goto (10, 20), n
  x = 1
10 call mpi_barrier(mpi_comm_world, ierr)
20 continue
  call mpi_finalize(ierr)
end program
