! ui: slice assumptions
! An exit in a procedure that calls no MPI keeps the call that may not come back.
program t
  use mpi
  integer :: ierr, np
  call mpi_init(ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  call verify(np)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
subroutine verify(n)
  integer :: n
  if (n > 64) call fail
end subroutine
subroutine fail
  print *, 'no'
  stop 1
end subroutine
