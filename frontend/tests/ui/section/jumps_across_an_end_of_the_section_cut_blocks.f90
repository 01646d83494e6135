! ui: blocks slice
! Jumps across an end of the section cut blocks.
program t
  use mpi
  integer :: ierr, i
  call mpi_init(ierr)
  i = 0
10 i = i + 1
  i = i + 2
  i = i + 3 !section
  if (i < 9) goto 10 !section
  i = 4
  call mpi_finalize(ierr)
end program
