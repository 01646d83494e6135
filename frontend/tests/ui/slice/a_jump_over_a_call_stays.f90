! ui: slice
! A jump over a call stays.
program t
  use mpi
  integer :: ierr, n
  real :: x
  call mpi_init(ierr)
  read *, n
  x = 1
  if (n > 3) goto 20
  x = 2
  call mpi_barrier(mpi_comm_world, ierr)
20 continue
  x = 3
  if (n > 4) goto 30
  x = 4
30 continue
  call mpi_finalize(ierr)
  print *, x
end program
