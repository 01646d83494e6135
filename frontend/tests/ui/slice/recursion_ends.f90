! ui: slice
! Recursion ends.
program t
  use mpi
  integer :: ierr, n
  call mpi_init(ierr)
  n = 3
  call down(n)
  call mpi_finalize(ierr)
end program
recursive subroutine down(n)
  use mpi
  integer :: n, ierr
  call mpi_barrier(mpi_comm_world, ierr)
  if (n > 0) call down(n - 1)
end subroutine
