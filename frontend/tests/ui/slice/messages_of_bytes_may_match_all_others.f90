! ui: slice levels
! Integers may arrive as bytes: what is sent as bytes is needed with them, real numbers and characters are not.
program t
  use mpi
  integer :: n, ierr, status(mpi_status_size)
  real(8) :: x(10), z(10)
  character(8) :: text
  call mpi_init(ierr)
  x = sin(2.d0)
  z = cos(2.d0)
  text = 'a name'
  call mpi_send(x, 80, mpi_byte, 0, 1, mpi_comm_world, ierr)
  call mpi_send(z, 10, mpi_double_precision, 0, 1, mpi_comm_world, ierr)
  call mpi_send(text, 8, mpi_character, 0, 1, mpi_comm_world, ierr)
  call mpi_recv(n, 1, mpi_integer, 0, 1, mpi_comm_world, status, ierr)
  call mpi_bcast(x, n, mpi_double_precision, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
