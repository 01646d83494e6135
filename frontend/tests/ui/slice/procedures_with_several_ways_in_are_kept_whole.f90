! ui: slice
! Procedures with several ways in are kept whole.
subroutine s(a, b)
  integer :: a, b
  a = b
  return
  entry t(c, b)
  c = b
  b = 1
end subroutine
program p
  use mpi
  integer :: ierr, x(9), k, n
  n = 2
  call t(k, n)
  call mpi_bcast(x, k, mpi_integer, 0, mpi_comm_world, ierr)
end program
