! ui: slice
! Bounds in a block are evaluated where it begins.
program t
  use mpi
  integer :: ierr, n
  n = 4
  block
    integer :: x(n)
    x = 3
    n = 5
    call mpi_bcast(x, 1, mpi_integer, 0, mpi_comm_world, ierr)
  end block
end program
