! ui: slice
! What is written when all have read the file goes. A CLOSE before that could take it from them.
program t
  use mpi
  integer :: n, k, lu, r, ierr
  logical :: there
  real :: x
  character(20) :: name, line
  call mpi_init(ierr)
  x = 2
  open (8, file='deck')
  read (8, *) n
  close (8)
  call mpi_barrier(mpi_comm_world, ierr)
  open (8, file='deck')
  write (8, *) x
  close (8)
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
