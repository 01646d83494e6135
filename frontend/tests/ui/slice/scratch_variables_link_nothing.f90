! ui: slice
! Pitfall 14: one scratch variable does not link its uses.
program t
  use mpi
  integer :: ios, ierr, n
  real :: x
  call mpi_init(ierr)
  open (9, file='log', iostat=ios)
  if (ios /= 0) print *, 'no log'
  open (2, file='in', iostat=ios)
  n = 1
  if (ios == 0) n = 2
  close (2)
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
