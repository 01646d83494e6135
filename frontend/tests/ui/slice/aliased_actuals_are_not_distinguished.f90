! ui: slice
! Aliased actuals are not distinguished.
program t
  use mpi
  integer :: ierr, q
  call mpi_init(ierr)
  q = 1
  call f(q, q)
  call mpi_bcast(q, q, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
subroutine f(a, b)
  integer :: a, b
  b = 7
  a = a + 1
end subroutine
