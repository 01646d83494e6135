! ui: slice
! Internal files are variables.
program t
  use mpi
  integer :: n, k, lu, r, ierr
  logical :: there
  real :: x
  character(20) :: name, line
  call mpi_init(ierr)
  x = 3
  write (line, *) 4
  write (name, *) x
  read (line, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
