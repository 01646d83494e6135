! fortran_check: does the MPI library serve Fortran, with mpif.h and with the module? Says where rank N-1 runs.
subroutine sum_of_ranks(total)
  implicit none
  include 'mpif.h'
  integer total, rank, ierr
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
end subroutine

subroutine pass_around(rank, ranks, received)
  use mpi
  implicit none
  integer rank, ranks, ierr, request, index, left, right
  integer status(MPI_STATUS_SIZE)
  double precision own, received
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  own = rank
  call mpi_irecv(received, 1, MPI_DOUBLE_PRECISION, left, 5, MPI_COMM_WORLD, request, ierr)
  call mpi_send(own, 1, MPI_DOUBLE_PRECISION, right, 5, MPI_COMM_WORLD, ierr)
  call mpi_waitany(1, request, index, status, ierr)
end subroutine

program fortran_check
  use mpi
  implicit none
  integer rank, ranks, total, length, ierr
  character(len=MPI_MAX_PROCESSOR_NAME) name
  double precision received
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  call sum_of_ranks(total)
  call pass_around(rank, ranks, received)
  call mpi_get_processor_name(name, length, ierr)
  if (total /= ranks * (ranks - 1) / 2 .or. nint(received) /= mod(rank + ranks - 1, ranks)) then
    print *, 'wrong on rank', rank, total, received
    call mpi_abort(MPI_COMM_WORLD, 1, ierr)
  end if
  if (rank == ranks - 1) print '(a,i0,a,a)', 'fortran_check: fine, rank ', rank, ' runs on ', name(1:length)
  call mpi_finalize(ierr)
end program
