! Ping-pong round the ring, reductions, broadcasts, split and duplicated communicators; prints what
! came out on rank 0.
program exchange
  implicit none
  include 'mpif.h'
  integer :: rank, ranks, ierr, next, before, row, rows, copy, request, status(MPI_STATUS_SIZE)
  integer :: requests(4), statuses(MPI_STATUS_SIZE, 4), i, got, own(2), largest(2)
  double precision :: value, sum, values(3), pair(2), best(2)
  double precision, allocatable :: large(:)
  logical :: all_fine, fine

  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  next = mod(rank + 1, ranks)
  before = mod(rank + ranks - 1, ranks)
  fine = .true.

  ! Round the ring, blocking.
  if (ranks == 1) then
    value = 1d0
  else if (rank == 0) then
    value = 1d0
    call mpi_send(value, 1, MPI_DOUBLE_PRECISION, next, 5, MPI_COMM_WORLD, ierr)
    call mpi_recv(value, 1, MPI_DOUBLE_PRECISION, before, 5, MPI_COMM_WORLD, status, ierr)
    fine = fine .and. value == ranks .and. status(MPI_SOURCE) == before .and. status(MPI_TAG) == 5
  else
    call mpi_recv(value, 1, MPI_DOUBLE_PRECISION, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    value = value + 1
    call mpi_send(value, 1, MPI_DOUBLE_PRECISION, next, 5, MPI_COMM_WORLD, ierr)
  end if

  ! To itself, with the receive posted before.
  call mpi_irecv(values, 3, MPI_DOUBLE_PRECISION, rank, 7, MPI_COMM_WORLD, request, ierr)
  call mpi_send((/ 1d0, 2d0, 3d0 /), 3, MPI_DOUBLE_PRECISION, rank, 7, MPI_COMM_WORLD, ierr)
  call mpi_wait(request, status, ierr)
  call mpi_get_count(status, MPI_DOUBLE_PRECISION, got, ierr)
  fine = fine .and. got == 3 .and. values(3) == 3d0 .and. request == MPI_REQUEST_NULL

  ! Large, in both directions at once.
  allocate(large(200000))
  large = rank
  call mpi_sendrecv(large(1:100000), 100000, MPI_DOUBLE_PRECISION, next, 1, &
                    large(100001), 100000, MPI_DOUBLE_PRECISION, before, 1, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  fine = fine .and. all(large(100001:) == before)

  ! Several requests, one of them null, received in the order of sending.
  requests(4) = MPI_REQUEST_NULL
  call mpi_irecv(own(1), 1, MPI_INTEGER, before, MPI_ANY_TAG, MPI_COMM_WORLD, requests(1), ierr)
  call mpi_irecv(own(2), 1, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, requests(2), ierr)
  do i = 2, 3
    call mpi_isend(i, 1, MPI_INTEGER, next, i, MPI_COMM_WORLD, requests(3), ierr)
    if (i == 2) call mpi_wait(requests(3), MPI_STATUS_IGNORE, ierr)
  end do
  call mpi_waitall(4, requests, statuses, ierr)
  fine = fine .and. own(1) == 2 .and. own(2) == 3 .and. statuses(MPI_TAG, 1) == 2
  call mpi_waitall(4, requests, MPI_STATUSES_IGNORE, ierr)

  ! Transfers with MPI_PROC_NULL.
  call mpi_send(value, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, MPI_COMM_WORLD, ierr)
  call mpi_recv(value, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 0, MPI_COMM_WORLD, status, ierr)
  fine = fine .and. status(MPI_SOURCE) == MPI_PROC_NULL

  ! Collectives.
  value = rank + 1
  call mpi_allreduce(value, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  fine = fine .and. sum == ranks * (ranks + 1) / 2
  call mpi_allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  fine = fine .and. value == ranks
  own = (/ mod(rank, 3), rank /)
  call mpi_reduce(own, largest, 1, MPI_2INTEGER, MPI_MAXLOC, ranks - 1, MPI_COMM_WORLD, ierr)
  if (rank == ranks - 1) fine = fine .and. largest(2) == min(ranks - 1, 2)
  pair = (/ -dble(rank), dble(rank) /)
  call mpi_allreduce(pair, best, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD, ierr)
  fine = fine .and. best(2) == ranks - 1
  values = 0
  if (rank == ranks / 2) values = (/ 4d0, 5d0, 6d0 /)
  call mpi_bcast(values, 3, MPI_DOUBLE_PRECISION, ranks / 2, MPI_COMM_WORLD, ierr)
  fine = fine .and. values(2) == 5d0
  call mpi_barrier(MPI_COMM_WORLD, ierr)

  ! Communicators.
  call mpi_comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, row, ierr)
  call mpi_comm_rank(row, i, ierr)
  call mpi_comm_size(row, rows, ierr)
  fine = fine .and. i == rows - 1 - rank / 2
  call mpi_allreduce(rank, got, 1, MPI_INTEGER, MPI_MIN, row, ierr)
  fine = fine .and. got == mod(rank, 2)
  call mpi_comm_dup(row, copy, ierr)
  call mpi_isend(rank, 1, MPI_INTEGER, 0, 9, copy, request, ierr)
  if (i == 0) then
    do i = 0, rows - 1
      call mpi_recv(got, 1, MPI_INTEGER, i, 9, copy, MPI_STATUS_IGNORE, ierr)
      fine = fine .and. got / 2 == rows - 1 - i
    end do
  end if
  call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
  call mpi_comm_free(copy, ierr)
  fine = fine .and. copy == MPI_COMM_NULL
  call mpi_comm_split(MPI_COMM_WORLD, merge(1, MPI_UNDEFINED, rank == 0), 0, copy, ierr)
  fine = fine .and. ((copy == MPI_COMM_NULL) .neqv. (rank == 0))

  call mpi_reduce(fine, all_fine, 1, MPI_LOGICAL, MPI_LAND, 0, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(a, l2, i4)', 'fine', all_fine, ranks
  call mpi_finalize(ierr)
end program exchange
