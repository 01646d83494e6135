! The calls of calls.c in Fortran: through the module mpi or, with F08 defined, mpi_f08. Indices of
! requests are not looked at: MPICH 4.0 counts them from 0 in mpi_f08.
#ifdef F08
#define USE_MPI use mpi_f08
#define A_COMMUNICATOR type(MPI_Comm)
#define A_REQUEST type(MPI_Request)
#define A_GROUP type(MPI_Group)
#define A_DATATYPE type(MPI_Datatype)
#define AN_OPERATION type(MPI_Op)
#define A_STATUS type(MPI_Status)
#else
#define USE_MPI use mpi
#define A_COMMUNICATOR integer
#define A_REQUEST integer
#define A_GROUP integer
#define A_DATATYPE integer
#define AN_OPERATION integer
#endif

module places
  implicit none
  integer :: rank, other, ierr
  double precision :: from(64) = 0, to(64) = 0
contains
  subroutine check(good)
    USE_MPI
    logical, intent(in) :: good
    if (.not. good) call MPI_Abort(MPI_COMM_WORLD, 99, ierr)
  end subroutine

  ! A receive whose message is here already.
  subroutine here(tag, received, sent)
    USE_MPI
    integer, intent(in) :: tag
    A_REQUEST, intent(inout) :: received, sent
    call MPI_Isend(from, 1, MPI_DOUBLE_PRECISION, other, tag, MPI_COMM_WORLD, sent, ierr)
    call MPI_Probe(other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Irecv(to, 1, MPI_DOUBLE_PRECISION, other, tag, MPI_COMM_WORLD, received, ierr)
  end subroutine

  subroutine modes()
    USE_MPI
    use iso_c_binding, only: c_ptr
    integer, save, asynchronous :: room(1024)
    A_REQUEST :: r(2)
    integer :: length
#ifdef F08
    type(c_ptr) :: place
#else
    integer :: place(1)
#endif
    call MPI_Irecv(to, 3, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, r(1), ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Rsend(from, 3, MPI_DOUBLE_PRECISION, other, 1, MPI_COMM_WORLD, ierr)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Irecv(to, 4, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, r(1), ierr)
    call MPI_Issend(from, 4, MPI_DOUBLE_PRECISION, other, 2, MPI_COMM_WORLD, r(2), ierr)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    call MPI_Buffer_attach(room, 4096, ierr)
    call MPI_Bsend(from, 5, MPI_DOUBLE_PRECISION, other, 3, MPI_COMM_WORLD, ierr)
    call MPI_Recv(to, 5, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &
                  MPI_STATUS_IGNORE, ierr)
    call MPI_Irecv(to, 6, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, r(1), ierr)
    call MPI_Ibsend(from, 6, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, r(2), ierr)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    call MPI_Buffer_detach(place, length, ierr)
    call MPI_Irecv(to, 7, MPI_DOUBLE_PRECISION, other, 5, MPI_COMM_WORLD, r(1), ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Irsend(from, 7, MPI_DOUBLE_PRECISION, other, 5, MPI_COMM_WORLD, r(2), ierr)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    if (rank == 0) then
      call MPI_Ssend(from, 8, MPI_DOUBLE_PRECISION, 1, 6, MPI_COMM_WORLD, ierr)
    else
      call MPI_Recv(to, 8, MPI_DOUBLE_PRECISION, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
    call MPI_Send(from, 9, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 7, MPI_COMM_WORLD, ierr)
    call MPI_Recv(to, 9, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &
                  MPI_STATUS_IGNORE, ierr)
  end subroutine

  subroutine exchanges()
    USE_MPI
    A_REQUEST :: sent
    logical :: flag
#ifdef F08
    A_STATUS :: status
#else
    integer :: status(MPI_STATUS_SIZE)
#endif
    call MPI_Sendrecv(from, 3, MPI_DOUBLE_PRECISION, other, 10, to, 6, MPI_DOUBLE_PRECISION, &
                      MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, status, ierr)
#ifdef F08
    call check(status%MPI_SOURCE == other .and. status%MPI_TAG == 10)
#else
    call check(status(MPI_SOURCE) == other .and. status(MPI_TAG) == 10)
#endif
    call MPI_Sendrecv_replace(from, 2, MPI_DOUBLE_PRECISION, other, 11, other, 11, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE, ierr)
    call MPI_Isend(from, 1, MPI_DOUBLE_PRECISION, other, 12, MPI_COMM_WORLD, sent, ierr)
    call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Iprobe(other, 12, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE, ierr)
    call check(flag)
    call MPI_Recv(to, 1, MPI_DOUBLE_PRECISION, other, 12, MPI_COMM_WORLD, status, ierr)
    call MPI_Wait(sent, MPI_STATUS_IGNORE, ierr)
  end subroutine

  subroutine completions()
    USE_MPI
    A_REQUEST :: r(2), sent
    logical :: flag
    integer :: index, indices(2), number
    call here(20, r(1), sent)
    call MPI_Test(r(1), flag, MPI_STATUS_IGNORE, ierr)
    call check(flag)
    call MPI_Wait(sent, MPI_STATUS_IGNORE, ierr)
    r(1) = MPI_REQUEST_NULL
    call here(21, r(2), sent)
    call MPI_Waitany(2, r, index, MPI_STATUS_IGNORE, ierr)
    call MPI_Wait(sent, MPI_STATUS_IGNORE, ierr)
    call here(22, r(1), sent)
    call MPI_Waitsome(2, r, number, indices, MPI_STATUSES_IGNORE, ierr)
    call check(number == 1)
    call MPI_Wait(sent, MPI_STATUS_IGNORE, ierr)
    call here(23, r(2), sent)
    call MPI_Testall(2, r, flag, MPI_STATUSES_IGNORE, ierr)
    call check(flag)
    call MPI_Wait(sent, MPI_STATUS_IGNORE, ierr)
    call here(24, r(2), sent)
    call MPI_Testany(2, r, index, flag, MPI_STATUS_IGNORE, ierr)
    call check(flag)
    call MPI_Wait(sent, MPI_STATUS_IGNORE, ierr)
    call here(25, r(1), sent)
    call MPI_Testsome(2, r, number, indices, MPI_STATUSES_IGNORE, ierr)
    call check(number == 1)
    call MPI_Wait(sent, MPI_STATUS_IGNORE, ierr)
    call MPI_Testany(2, r, index, flag, MPI_STATUS_IGNORE, ierr)
  end subroutine

  subroutine persistent()
    USE_MPI
    A_REQUEST :: r(2)
    integer :: i
    call MPI_Send_init(from, 3, MPI_DOUBLE_PRECISION, other, 30, MPI_COMM_WORLD, r(1), ierr)
    call MPI_Recv_init(to, 3, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, r(2), ierr)
    do i = 1, 2
      call MPI_Startall(2, r, ierr)
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    end do
    call MPI_Request_free(r(1), ierr)
    call MPI_Request_free(r(2), ierr)
    call MPI_Recv_init(to, 3, MPI_DOUBLE_PRECISION, other, 31, MPI_COMM_WORLD, r(1), ierr)
    call MPI_Ssend_init(from, 3, MPI_DOUBLE_PRECISION, other, 31, MPI_COMM_WORLD, r(2), ierr)
    call MPI_Start(r(1), ierr)
    call MPI_Start(r(2), ierr)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    call MPI_Request_free(r(1), ierr)
    call MPI_Request_free(r(2), ierr)
  end subroutine

#ifdef F08
  subroutine add(in, inout, length, datatype)
    use iso_c_binding, only: c_ptr, c_f_pointer
    USE_MPI
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: datatype
    double precision, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [length])
    call c_f_pointer(inout, b, [length])
    b = a + b
  end subroutine
#else
  subroutine add(in, inout, length, datatype)
    integer :: length, datatype
    double precision :: in(length), inout(length)
    inout = in + inout
  end subroutine
#endif

  subroutine collectives()
    USE_MPI
    integer :: counts(2), places(2), pair(2), best(2), mine(2), apart(2)
    AN_OPERATION :: own
    counts = [1, 3]
    places = [0, 1]
    pair = 0
    call MPI_Bcast(from, 4, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierr)
    call MPI_Reduce(from, to, 5, MPI_DOUBLE_PRECISION, MPI_MAX, 1, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(MPI_IN_PLACE, to, 6, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Allreduce(pair, best, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
    call MPI_Op_create(add, .false., own, ierr)
    call MPI_Allreduce(from, to, 2, MPI_DOUBLE_PRECISION, own, MPI_COMM_WORLD, ierr)
    call MPI_Op_free(own, ierr)
    call MPI_Gather(from, 2, MPI_DOUBLE_PRECISION, to, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    call MPI_Gatherv(from, counts(rank + 1), MPI_DOUBLE_PRECISION, to, counts, places, &
                     MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
    call MPI_Scatter(from, 3, MPI_DOUBLE_PRECISION, to, 3, MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierr)
    call MPI_Scatterv(from, counts, places, MPI_DOUBLE_PRECISION, to, counts(rank + 1), &
                      MPI_DOUBLE_PRECISION, 1, MPI_COMM_WORLD, ierr)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, 4, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
    call MPI_Allgatherv(from, counts(rank + 1), MPI_DOUBLE_PRECISION, to, counts, places, &
                        MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, counts, places, MPI_DOUBLE_PRECISION, &
                        MPI_COMM_WORLD, ierr)
    call MPI_Alltoall(from, 5, MPI_DOUBLE_PRECISION, to, 5, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, ierr)
    mine = counts(rank + 1)
    apart = [0, 8]
    call MPI_Alltoallv(from, counts, places, MPI_DOUBLE_PRECISION, to, mine, apart, MPI_DOUBLE_PRECISION, &
                       MPI_COMM_WORLD, ierr)
    call MPI_Reduce_scatter(from, to, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Reduce_scatter_block(from, to, 2, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, ierr)
    call MPI_Scan(from, to, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Exscan(from, to, 3, MPI_DOUBLE_PRECISION, MPI_PROD, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine nonblocking()
    USE_MPI
    integer, save, asynchronous :: counts(2) = [2, 1], places(2) = [0, 2]
    A_REQUEST :: r(3)
    call MPI_Ibarrier(MPI_COMM_WORLD, r(1), ierr)
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
    call MPI_Ibcast(from, 2, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, r(1), ierr)
    call MPI_Iallreduce(from, to, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, r(2), ierr)
    call MPI_Iallgatherv(from, counts(rank + 1), MPI_DOUBLE_PRECISION, to(17:), counts, places, &
                         MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, r(3), ierr)
    call MPI_Waitall(3, r, MPI_STATUSES_IGNORE, ierr)
  end subroutine

  subroutine communicators()
    USE_MPI
    A_COMMUNICATOR :: made, part
    A_GROUP :: all, some
    integer :: color
    call MPI_Comm_dup(MPI_COMM_WORLD, made, ierr)
    call MPI_Comm_split(made, 0, -rank, part, ierr)
    call MPI_Bcast(from, 1, MPI_DOUBLE_PRECISION, 0, part, ierr)
    call MPI_Comm_free(part, ierr)
    color = 5
    if (rank == 1) color = MPI_UNDEFINED
    call MPI_Comm_split(made, color, 0, part, ierr)
    if (rank == 0) then
      call MPI_Barrier(part, ierr)
      call MPI_Comm_free(part, ierr)
    end if
    call MPI_Comm_free(made, ierr)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, made, ierr)
    call MPI_Barrier(made, ierr)
    call MPI_Comm_free(made, ierr)
    call MPI_Comm_group(MPI_COMM_WORLD, all, ierr)
    call MPI_Group_incl(all, 1, [1], some, ierr)
    call MPI_Comm_create(MPI_COMM_WORLD, some, made, ierr)
    if (rank == 1) then
      call MPI_Barrier(made, ierr)
      call MPI_Comm_free(made, ierr)
    end if
    call MPI_Group_free(some, ierr)
    call MPI_Group_free(all, ierr)
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [2], [.true.], .false., made, ierr)
    call MPI_Cart_sub(made, [.true.], part, ierr)
    call MPI_Barrier(part, ierr)
    call MPI_Comm_free(part, ierr)
    call MPI_Comm_free(made, ierr)
    call MPI_Barrier(MPI_COMM_SELF, ierr)
  end subroutine

  subroutine datatypes()
    USE_MPI
    A_DATATYPE :: column, row
    integer :: i
    do i = 1, 2
      call MPI_Type_vector(3, 2, 4, MPI_DOUBLE_PRECISION, column, ierr)
      call MPI_Type_commit(column, ierr)
      call MPI_Sendrecv(from, 1, column, 0, 40, to, 1, column, 0, 40, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
      call MPI_Type_free(column, ierr)
      call MPI_Type_contiguous(5, MPI_INTEGER, row, ierr)
      call MPI_Type_commit(row, ierr)
      call MPI_Sendrecv(from, 2, row, 0, 41, to, 2, row, 0, 41, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierr)
      call MPI_Type_free(row, ierr)
    end do
  end subroutine
end module

program calls
  USE_MPI
  use places
  implicit none
  integer :: provided
  double precision :: begin
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  other = 1 - rank
  begin = MPI_Wtime()
  call modes()
  call exchanges()
  call completions()
  call persistent()
  call collectives()
  call nonblocking()
  call communicators()
  call datatypes()
  call check(MPI_Wtime() >= begin)
  call MPI_Finalize(ierr)
end program
