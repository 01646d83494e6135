! Sections of arrays with use mpi_f08: packed on the way out, spread out on the way in.
program sections
  use mpi_f08
  implicit none
  integer :: rank, size, next, previous, i
  integer :: a(6, 6), b(6, 6), sum(4)
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)
  call mpi_init()
  call mpi_comm_rank(MPI_COMM_WORLD, rank)
  call mpi_comm_size(MPI_COMM_WORLD, size)
  next = mod(rank + 1, size)
  previous = mod(rank + size - 1, size)
  a = reshape([(i, i = 1, 36)], [6, 6]) + 100 * rank
  b = 0
  call mpi_irecv(b(2:6:2, 1:6:3), 6, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, requests(1))
  call mpi_isend(a(3, :), 6, MPI_INTEGER, next, 1, MPI_COMM_WORLD, requests(2))
  call mpi_waitall(2, requests, statuses)
  print '(a, i0, a, 36i5)', 'rank ', rank, ':', b
  if (statuses(1)%MPI_SOURCE /= previous) print *, 'wrong source'
  sum = 0
  call mpi_allreduce(a(1:4, 2), sum, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  print '(a, 4i6)', 'sums', sum
  call mpi_allreduce(MPI_IN_PLACE, a(1:5, 3), 5, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  print '(a, 6i5)', 'largest of', a(1:5, 3)
  if (MPI_COMM_WORLD == MPI_COMM_NULL) print *, 'wrong comparison'
  call mpi_finalize()
end program
