! ui: slice
! A column of an allocatable component stays in it; a record of numbers may reach over neighbours, but not over integers.
module m
  type field
    integer :: n
    real(8), allocatable :: data(:, :)
  end type
  type particle
    integer :: cell
    real(8) :: x, y, z
  end type
end module
program t
  use mpi
  use m
  integer :: column = mpi_datatype_null, record, ierr, status(mpi_status_size)
  type(field) :: f
  type(particle) :: p
  real(8) :: w(10)
  call mpi_init(ierr)
  f%n = 4
  p%cell = 2
  p%x = sin(1.d0)
  p%y = sin(2.d0)
  allocate (f%data(4, 4))
  f%data = cos(1.d0)
  call mpi_type_vector(4, 1, 4, mpi_double_precision, column, ierr)
  call mpi_type_commit(column, ierr)
  call mpi_type_contiguous(3, mpi_double_precision, record, ierr)
  call mpi_type_commit(record, ierr)
  call mpi_recv(f%data(1, 1), 1, column, 0, 1, mpi_comm_world, status, ierr)
  call mpi_recv(p%x, 1, record, 0, 1, mpi_comm_world, status, ierr)
  call mpi_send(w, f%n + p%cell, mpi_double_precision, 0, 1, mpi_comm_world, ierr)
  call mpi_send(w, int(p%y), mpi_double_precision, 0, 1, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
