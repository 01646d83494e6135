! ui: slice
! An error handler stays for what it leaves.
program t
  use mpi
  integer :: handler, ierr
  external handle
  call mpi_init(ierr)
  call mpi_comm_create_errhandler(handle, handler, ierr)
  call mpi_comm_set_errhandler(mpi_comm_world, handler, ierr)
  call mpi_finalize(ierr)
end program
subroutine handle(comm, code)
  integer :: comm, code
  print *, 'error', code
end subroutine
