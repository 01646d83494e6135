! ui: slice
! A loop made of jumps stays.
program t
  use mpi
  integer :: ierr, k
  call mpi_init(ierr)
  k = 0
10 k = k + 1
  call mpi_barrier(mpi_comm_world, ierr)
  if (k < 5) goto 10
  call mpi_finalize(ierr)
end program
