! ui: slice
! Common is known by storage.
program t
  use mpi
  integer :: ierr
  integer :: a, b, c
  common /blk/ a, b, c
  call mpi_init(ierr)
  call fill
  call mpi_bcast(a, b, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
subroutine fill
  integer :: x, y, z
  common /blk/ x, y, z
  x = 1
  y = 2
  z = 3
end subroutine
