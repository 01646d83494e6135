! ui: slice diagnostics
! Procedure without source may do anything.
program t
  use mpi
  integer :: ierr
  real :: a(4)
  external kernel
  call mpi_init(ierr)
  a(1) = 1
  call kernel(a)
  call mpi_finalize(ierr)
end program
