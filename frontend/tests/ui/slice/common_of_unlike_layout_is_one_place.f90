! ui: slice
! Common of unlike layout is one place.
program t
  use mpi
  integer :: ierr
  integer :: a, b
  common /blk/ a, b
  call mpi_init(ierr)
  call fill
  call mpi_bcast(a, b, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
subroutine fill
  double precision :: x
  common /blk/ x
  x = 1
end subroutine
