! Buffers of several types and ranks through the module, and the queries it declares.
program buffers
  use mpi
  implicit none
  integer :: rank, ierr, length, major, minor, bytes, small(2, 2), provided
  real :: single
  character(len=8) :: word
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: text
  logical :: fine, flag
  complex(kind(1d0)) :: z(3)
  call mpi_init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  fine = provided == MPI_THREAD_FUNNELED
  small = 0
  single = 0
  word = ' '
  z = 0
  if (rank == 0) then
    small = 3
    single = 2.5
    word = 'abcdefgh'
    z = (1d0, 2d0)
  end if
  call mpi_bcast(small, 4, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call mpi_bcast(single, 1, MPI_REAL, 0, MPI_COMM_WORLD, ierr)
  call mpi_bcast(word, 8, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
  call mpi_allreduce(MPI_IN_PLACE, z, 3, MPI_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
  fine = fine .and. all(small == 3) .and. single == 2.5 .and. word == 'abcdefgh' .and. z(2) == (1d0, 2d0)
  call mpi_get_library_version(text, length, ierr)
  fine = fine .and. text(1:7) == 'mpiete ' .and. len_trim(text) == length
  call mpi_get_version(major, minor, ierr)
  call mpi_type_size(MPI_DOUBLE_COMPLEX, bytes, ierr)
  call mpi_get_processor_name(text, length, ierr)
  fine = fine .and. major == 4 .and. bytes == 16 .and. length > 0
  call mpi_error_string(MPI_ERR_TAG, text, length, ierr)
  fine = fine .and. text == 'invalid tag'
  call mpi_initialized(flag, ierr)
  fine = fine .and. flag
  call mpi_finalized(flag, ierr)
  fine = fine .and. .not. flag .and. mpi_wtick() < 1d-3 .and. mpi_wtime() > 0d0
  if (rank == 0) print '(a, l2)', 'buffers', fine
  call mpi_finalize(ierr)
  call mpi_finalized(flag, ierr)
  if (.not. flag) stop 1
end program buffers
