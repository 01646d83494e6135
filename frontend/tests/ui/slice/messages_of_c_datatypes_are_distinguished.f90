! ui: slice
! MPI_DOUBLE holds no integers, MPI_INT does; the type beside MPI_IN_PLACE counts for nothing.
program t
  use mpi
  integer :: n, ierr
  real(8) :: x(10), z(10)
  call mpi_init(ierr)
  n = 3
  x = sin(2.d0)
  z = cos(2.d0)
  call mpi_bcast(x, 10, mpi_double, 0, mpi_comm_world, ierr)
  call mpi_bcast(n, 1, mpi_int, 0, mpi_comm_world, ierr)
  call mpi_allgather(mpi_in_place, 0, mpi_datatype_null, z, 1, mpi_double, mpi_comm_world, ierr)
  call mpi_allgather(n, 1, mpi_integer, m, 1, mpi_integer, mpi_comm_world, ierr)
  call mpi_bcast(x, n + m, mpi_double, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
