! ui: slice
! Associate selectors are evaluated at entry.
program t
  use mpi
  integer :: ierr, x(9), i, n(9), k
  n(2) = 4
  i = 2
  k = 1
  associate (m => n(i), q => 3)
    i = 3
    call mpi_bcast(x, m, mpi_integer, 0, mpi_comm_world, ierr)
  end associate
  associate (z => x(1))
    z = 2
  end associate
end program
