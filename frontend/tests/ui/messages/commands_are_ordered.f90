! ui: levels diagnostics
! What a command leaves, a file or another command finds.
program t
  use mpi
  integer :: n, k, ios, rank, ierr, status(mpi_status_size)
  logical :: there
  real :: x
  call mpi_init(ierr)
  if (rank == 0) call execute_command_line('mkdir there')
  call mpi_barrier(mpi_comm_world, ierr)
  open (8, file='there/deck')
  read (8, *) n
  if (n == 4) call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
