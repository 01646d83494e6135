! A compute probe: a short and a long block in a loop with communication, cut short.
program blocks
  use mpi
  implicit none
  integer :: rank, ierr, i, done, most, inner
  double precision :: x, total
  logical, external :: mpiete_cut
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  done = 0
  x = rank
  call mpiete_loop(0)
  do i = 1, 2000
    if (mpiete_cut(0)) exit
    done = done + 1
    call mpiete_begin(0, 1, (/ 20000_8 /))
    do inner = 1, 20000
      x = x * 0.999d0 + 1d0
    end do
    call mpiete_end(0)
    call mpi_allreduce(x, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call mpiete_begin(1, 0, (/ 0_8 /))
    x = x + total * 1d-9
    call mpiete_end(1)
  end do
  call mpi_allreduce(done, most, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (done /= most .or. x < 0) call mpi_abort(MPI_COMM_WORLD, 1, ierr)
  if (rank == 0) print '(i0)', done
  call mpi_finalize(ierr)
end program blocks
