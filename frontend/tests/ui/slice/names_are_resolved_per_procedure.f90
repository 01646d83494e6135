! ui: slice
! Pitfall 18: a scalar with the name of a procedure elsewhere.
program t
  use mpi
  integer :: ierr, n
  call mpi_init(ierr)
  call one(n)
  call mpi_bcast(n, n, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
subroutine one(n)
  integer :: n, error
  error = 3
  n = error
end subroutine
subroutine error
  print *, 'never'
end subroutine
