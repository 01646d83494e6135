! What waits.c does, in fewer functions, in Fortran's bindings: `use mpi`, or `use mpi_f08` if F08 is set.
program waits
#ifdef F08
  use mpi_f08
#define STATUS_TYPE type(mpi_status)
#define HANDLE(kind) type(kind)
#define SOURCE_OF(status) status%mpi_source
#define TAG_OF(status) status%mpi_tag
#else
  use mpi
#define STATUS_TYPE integer, dimension(mpi_status_size)
#define HANDLE(kind) integer
#define SOURCE_OF(status) status(mpi_source)
#define TAG_OF(status) status(mpi_tag)
#endif
  implicit none
  integer, parameter :: long = 100000
  integer :: me, n, next, last, error, i, number, which, indices(3)
  integer :: mine(long), theirs(long), word, sum_of_all
  integer, allocatable :: all(:), counts(:), places(:)
  HANDLE(mpi_comm) :: half
  HANDLE(mpi_request) :: requests(3)
  STATUS_TYPE :: status
#ifdef F08
  type(mpi_status) :: statuses(3)
#else
  integer :: statuses(mpi_status_size, 3)
#endif
  logical :: there

  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, me, error)
  call mpi_comm_size(mpi_comm_world, n, error)
  next = mod(me + 1, n)
  last = mod(me + n - 1, n)
  sum_of_all = n * (n - 1) / 2
  allocate (all(n), counts(n), places(n))
  mine = [(me + i, i = 1, long)]
  counts = 1
  places = [(n - i, i = 1, n)]

  call mpi_sendrecv(mine, long, mpi_integer, next, 1, theirs, long, mpi_integer, last, 1, mpi_comm_world, status, error)
  call so(theirs(long) == last + long .and. SOURCE_OF(status) == last .and. TAG_OF(status) == 1 .and. error == 0, 1)
  ! Every second element: a section of an array.
  call mpi_irecv(theirs, long, mpi_integer, me, 2, mpi_comm_world, requests(1), error)
  call mpi_send(mine(1::2), long / 2, mpi_integer, me, 2, mpi_comm_world, error)
  call mpi_wait(requests(1), status, error)
  call so(theirs(2) == me + 3 .and. requests(1) == mpi_request_null .and. SOURCE_OF(status) == me, 2)
  if (me == 0) call mpi_ssend(mine, 1, mpi_integer, next, 3, mpi_comm_world, error)
  if (me == 1) then
    call mpi_probe(mpi_any_source, mpi_any_tag, mpi_comm_world, status, error)
    call so(SOURCE_OF(status) == 0 .and. TAG_OF(status) == 3, 3)
    call mpi_recv(theirs, 1, mpi_integer, mpi_any_source, 3, mpi_comm_world, mpi_status_ignore, error)
    call so(theirs(1) == 1 .and. error == 0, 4)
  end if
  word = me
  call mpi_sendrecv_replace(word, 1, mpi_integer, next, 4, last, 4, mpi_comm_world, mpi_status_ignore, error)
  call so(word == last, 5)

  requests(2) = mpi_request_null
  call mpi_irecv(word, 1, mpi_integer, last, 5, mpi_comm_world, requests(1), error)
  call mpi_isend(me, 1, mpi_integer, next, 5, mpi_comm_world, requests(3), error)
  call mpi_waitall(3, requests, statuses, error)
#ifdef F08
  call so(word == last .and. statuses(1)%mpi_source == last, 6)
#else
  call so(word == last .and. statuses(mpi_source, 1) == last, 6)
#endif
  call mpi_waitall(3, requests, mpi_statuses_ignore, error)
  call mpi_irecv(word, 1, mpi_integer, last, 6, mpi_comm_world, requests(3), error)
  call mpi_send(me, 1, mpi_integer, next, 6, mpi_comm_world, error)
  call mpi_waitany(3, requests, which, status, error)
  ! MPICH 4.0 counts from zero here in mpi_f08.
  call so(word == last .and. TAG_OF(status) == 6 .and. requests(3) == mpi_request_null, 7)
  call mpi_irecv(word, 1, mpi_integer, last, 7, mpi_comm_world, requests(2), error)
  call mpi_send(me, 1, mpi_integer, next, 7, mpi_comm_world, error)
  call mpi_waitsome(3, requests, number, indices, statuses, error)
  call so(word == last .and. number == 1 .and. requests(2) == mpi_request_null, 8)

  call mpi_barrier(mpi_comm_world, error)
  word = merge(42, 0, me == n - 1)
  call mpi_bcast(word, 1, mpi_integer, n - 1, mpi_comm_world, error)
  call so(word == 42 .and. error == 0, 9)
  call mpi_reduce(me, word, 1, mpi_integer, mpi_sum, 0, mpi_comm_world, error)
  call so(me /= 0 .or. word == sum_of_all, 10)
  word = me
  call mpi_allreduce(mpi_in_place, word, 1, mpi_integer, mpi_sum, mpi_comm_world, error)
  call so(word == sum_of_all, 11)
  call mpi_allgatherv(me, 1, mpi_integer, all, counts, places, mpi_integer, mpi_comm_world, error)
  call so(all(1) == n - 1, 12)
  call mpi_alltoall(mine, 1, mpi_integer, all, 1, mpi_integer, mpi_comm_world, error)
  call so(all(n) == n + me, 13)
  call mpi_comm_split(mpi_comm_world, mod(me, 2), me, half, error)
  call mpi_barrier(half, error)
  call mpi_comm_free(half, error)

#ifdef F08
  ! The error code is optional there.
  call mpi_bcast(word, 1, mpi_integer, 0, mpi_comm_world)
  call mpi_barrier(mpi_comm_world)
#endif
  if (command_argument_count() > 0) call more()
  call mpi_finalize(error)
  if (me == 0) print '(a)', 'all was so'

contains

  ! An error, and rank 1 sends when rank 0 has looked in vain.
  subroutine more()
    call mpi_comm_set_errhandler(mpi_comm_world, mpi_errors_return, error)
    call mpi_send(me, 1, mpi_integer, n, 8, mpi_comm_world, error)
    call mpi_error_class(error, which, number)
    call so(which == mpi_err_rank, 14)
    if (me == 1) then
      call mpi_recv(word, 0, mpi_integer, 0, 9, mpi_comm_world, mpi_status_ignore, error)
      call mpi_send(me, 1, mpi_integer, 0, 9, mpi_comm_world, error)
    else if (me == 0) then
      call mpi_irecv(word, 1, mpi_integer, 1, 9, mpi_comm_world, requests(1), error)
      call mpi_test(requests(1), there, status, error)
      call so(.not. there, 15)
      call mpi_send(word, 0, mpi_integer, 1, 9, mpi_comm_world, error)
      do while (.not. there)
        call mpi_test(requests(1), there, status, error)
      end do
      call so(word == 1 .and. SOURCE_OF(status) == 1, 16)
    end if
  end subroutine

  subroutine so(is, what)
    logical, intent(in) :: is
    integer, intent(in) :: what
    if (.not. is) then
      print '(a, i0, a, i0, a)', 'rank ', me, ': ', what, ' is not so'
      call mpi_abort(mpi_comm_world, 3, error)
    end if
  end subroutine
end program
