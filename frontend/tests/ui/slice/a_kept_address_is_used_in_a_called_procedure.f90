! ui: slice
! Code without source has kept the address of a scalar, and a procedure of the program calls such code: it may read each value.
program t
  use mpi
  integer :: ierr, x, useless
  call mpi_init(ierr)
  call keep(x)
  useless = 7
  x = 7
  call middle()
  x = 8
  call middle()
  call mpi_finalize(ierr)
end program
subroutine middle()
  call use_what_was_kept()
end subroutine
