! ui: order diagnostics
! Which message comes first decides nothing: the sequence of calls is the same on every machine.
program t
  use mpi
  integer :: i, ierr, status(mpi_status_size)
  real :: x
  call mpi_init(ierr)
  do i = 1, 3
    call mpi_recv(x, 1, mpi_real, mpi_any_source, 1, mpi_comm_world, status, ierr)
  end do
  call mpi_finalize(ierr)
end program
