! ui: slice
! Pitfall 8: log files go, a deck that is written and read again stays.
program t
  use mpi
  integer :: ierr
  call mpi_init(ierr)
  call work
  call mpi_finalize(ierr)
end program
subroutine work
  use mpi
  integer :: n, lu, ierr
  real :: x
  x = 2.5
  lu = 9
  open (lu, file='log')
  write (lu, *) x
  n = 4
  open (8, file='deck')
  write (8, *) n
  rewind (8)
  read (8, *) n
  close (8)
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
end subroutine
