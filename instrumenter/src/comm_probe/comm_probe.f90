! Network probe of mpiete: times of messages between two ranks, by size; with more ranks, also of messages
! that meet at one of them.
!
! Prints a sample a line, with times in nanoseconds:
!   mpiete-sample KIND LINK RANKS BYTES DELAY_NS MEDIAN_NS MIN_NS SPREAD_NS REPETITIONS
! SPREAD_NS is the distance of the quartiles. Lines that start with # are comments.
!
! Other programs disturb measurements. A sample whose quartiles are far apart is measured again at once, and
! the one with the smallest median counts. When all sizes are done, those that took longer than a longer
! message are measured again: such a size has several lines.
!
! Kinds:
!   ping-pong      half a round trip of MPI_Send and MPI_Recv
!   receive        MPI_Recv on rank 1, entered before rank 0 sends: from the moment rank 0 may
!                  send until MPI_Recv returns. Rank 1 gives the sign with an empty message, whose
!                  own time (half the fastest empty round trip) is taken off.
!   blocking-send  MPI_Send on rank 0, while rank 1 waits in MPI_Recv
!   to-self        MPI_Irecv, MPI_Isend and MPI_Waitall of rank 0 with itself
!   delayed        round trip of MPI_Send and MPI_Recv in which rank 0 computes for the delay before its MPI_Recv, so
!                  that the network is hidden behind the computation; the time contains the delay
!   exchange       both directions at once: MPI_Sendrecv of both ranks, mean of a few in a row
!   blocking-send with a delay: MPI_Send on rank 0, while rank 1 computes for the delay before its MPI_Recv.
!                  It takes about as long as the delay where the send waits for the receive (rendezvous). Where the
!                  answer changes between two sizes, the limit is looked for to the byte.
! and of messages whose send does not wait for the receive:
!   late-receive   MPI_Recv on rank 1 of a message that is there already
!   nonblocking-send, nonblocking-receive, wait
!                  MPI_Isend alone; MPI_Irecv alone; MPI_Wait for a send that is over
!   flood          time of each further of many messages sent one after another
! With three or more ranks, all on nodes of their own:
!   incast         one message from each other rank to rank 0, all at once
!   behind         round trip of empty messages between ranks 0 and 2 while rank 0 sends BYTES to rank 1
! and of calls without a message:
!   poll           MPI_Test of a receive whose message has not been sent
!
! Then what else a platform needs:
!   mpiete-reduction OP TYPE ELEMENTS MEDIAN_NS MIN_NS SPREAD_NS REPETITIONS
!     MPI_Reduce_local of so many elements on rank 0
!   mpiete-setting progress asynchronous|in-call
!     whether a send that waits for its receive proceeds while its rank computes
!   mpiete-setting eager-credit BYTES|unlimited
!     how much a receiver that computes takes before a send waits; unlimited if it took all that were sent
!
! With the first argument 'collectives', on any number of ranks: the time of collectives until the slowest rank is done,
!   mpiete-collective KIND RANKS RANKS_PER_NODE BYTES MEDIAN_NS MIN_NS SPREAD_NS REPETITIONS
! and nothing else.
!
! The kind of link is the first argument or, without one, the environment's MPIETE_LINK.
program comm_probe
  use mpi
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  implicit none

  integer, parameter :: long = selected_int_kind(18)
  ! Longest message, and the distance of sizes beside 0 and the powers of two, in bytes.
  integer(long), parameter :: largest = @LARGEST@_long
  integer(long), parameter :: step = @STEP@_long
  ! Repetitions of one measurement: fewer where they would take longer than this.
  integer, parameter :: most_repetitions = @REPETITIONS@
  double precision, parameter :: seconds_per_size = @MILLISECONDS@.0d-3
  integer, parameter :: least_repetitions = min(5, most_repetitions)
  ! Executions before the first that counts: connections are made, buffers pinned.
  integer, parameter :: warm_ups = 3
  ! Measurements of one kind at one size at once, and rounds through the sizes that stand out.
  integer, parameter :: most_attempts = 3, most_rounds = 3
  ! Quartiles further apart than this share of the median, and sizes longer than longer ones by more than this
  ! factor, are measured again.
  double precision, parameter :: wide = 0.25d0, standing_out = 1.15d0
  ! Sizes that are looked at again; more are measured once.
  integer, parameter :: most_sizes = 4096

  integer, parameter :: ping_pong = 1, receive = 2, blocking_send = 3, to_self = 4, exchange = 5, late_send = 6, &
       late_receive = 7, nonblocking_send = 8, nonblocking_receive = 9, wait = 10, flood = 11, incast = 12, behind = 13, &
       delayed = 14, poll = 15
  integer, parameter :: kinds = 15
  character(len=19), parameter :: kind_names(kinds) = [character(len=19) :: 'ping-pong', 'receive', &
       'blocking-send', 'to-self', 'exchange', 'blocking-send', 'late-receive', 'nonblocking-send', &
       'nonblocking-receive', 'wait', 'flood', 'incast', 'behind', 'delayed', 'poll']
  ! Exchanges in a row, messages of a flood beyond the first few, and these first few.
  integer, parameter :: exchanges = 4, flood_length = 16, flood_start = 4
  ! Between powers of two from and to these, the size halfway is measured as well: packets end and handshakes begin there.
  integer(long), parameter :: first_halfway = 128, last_halfway = 262144
  ! Longest message of a flood; sizes of incast.
  integer(long), parameter :: longest_flood = 65536, incast_sizes(3) = [4096, 16384, 65536]
  integer, parameter :: message_tag = 7, sign_tag = 8
  ! Bytes of an operand of a reduction: as long as the segments of many algorithms, and inside the caches of a core.
  integer, parameter :: reduced_bytes = 65536
  ! Most messages, and length of each, that flood a receiver that computes; and how long it computes, in seconds.
  integer, parameter :: most_credits = 4096
  integer(long), parameter :: longest_credit = 4096
  double precision, parameter :: credit_delay = 1.0d0
  ! Bytes of collectives: of the operand, or of the block of each rank. Blocks of all ranks take at most so many together.
  integer, parameter :: collective_sizes(9) = [8, 32, 128, 512, 2048, 8192, 32768, 131072, 524288]
  integer(long), parameter :: most_block_bytes = 67108864
  character(len=14), parameter :: collective_names(11) = [character(len=14) :: 'barrier', 'broadcast', 'reduce', 'allreduce', &
       'gather', 'scatter', 'allgather', 'alltoall', 'reduce-scatter', 'scan', 'exclusive-scan']

  ! One type for all that is sent: some MPI libraries have no interfaces for their buffers.
  double precision, allocatable :: buffer(:), other(:), times(:), slowest(:)
  integer(long) :: bytes, numbers
  integer :: rank, ranks, error, measured
  integer :: elements, datatype
  ! Time of an empty message.
  double precision :: flight(1)
  character(len=64) :: link_class
  ! Medians by kind and size, on rank 0.
  integer(long) :: sizes(most_sizes)
  double precision :: medians(kinds, most_sizes)
  integer :: size_count, round, incast_size
  ! Whether sends of the present size, and those before, do without their receive; the longest that does and the
  ! shortest that does not, if there are any.
  logical :: is_eager
  integer(long) :: longest_eager, shortest_waiting
  ! How long the other side computes, in seconds, the same on all ranks; and for messages of about the eager limit.
  double precision :: delay(1), limit_delay(1)
  logical :: of_collectives

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call choose_link
  if (ranks < 2) call refuse('needs 2 ranks or more; start it with: mpirun -n 2 ./comm_probe')
  ! Longer messages are sent as 8-byte numbers, of which a count can be as many again.
  numbers = largest
  numbers = numbers / 8 + 1
  numbers = max(numbers, reduced_bytes / 8_long)
  if (of_collectives) numbers = max(numbers, collective_numbers())
  if (numbers > huge(elements)) call refuse('the longest message is more than MPI counts; write the probe for less')
  allocate (buffer(numbers), other(numbers), times(most_repetitions), slowest(most_repetitions), stat=error)
  if (error /= 0) call refuse('there is no memory for the longest message; write the probe for less')
  buffer = 0.0d0
  other = 0.0d0
  times = 0.0d0
  flight = huge(1.0d0)
  call describe
  if (of_collectives) then
     call measure_collectives
  else
     call measure_messages
  end if
  if (rank == 0) write (output_unit, '(a)') '# end of samples'
  call MPI_Finalize(error)

contains

  ! All lengths, those that stand out again, and what else a platform needs.
  subroutine measure_messages
    size_count = 0
    medians = 0.0d0
    delay = 0.0d0
    is_eager = .true.
    longest_eager = -1
    shortest_waiting = -1
    bytes = 0
    do
       call choose_elements
       size_count = size_count + 1
       if (size_count <= most_sizes) sizes(size_count) = bytes
       do measured = ping_pong, exchange
          call sample(measured, size_count)
       end do
       call measure_sides
       if (bytes >= largest) exit
       bytes = next_size(bytes)
    end do
    do round = 1, most_rounds
       if (.not. measured_again()) exit
    end do
    call find_eager_limit
    if (ranks > 2) call measure_many
    bytes = 0
    call choose_elements
    call sample(poll, most_sizes + 1)
    call measure_reductions
    call measure_progress
    call measure_credit
  end subroutine measure_messages

  ! What each side of a message costs, as long as sends do without their receives.
  subroutine measure_sides
    integer :: what
    call choose_delay
    call sample(delayed, size_count)
    if (shortest_waiting < 0) then
       call sample(late_send, size_count)
       call judge(medians(late_send, min(size_count, most_sizes)))
    end if
    if (.not. is_eager) return
    do what = late_receive, wait
       call sample(what, size_count)
    end do
    if (bytes <= longest_flood) call sample(flood, size_count)
  end subroutine measure_sides

  ! Long enough for a message to arrive meanwhile.
  subroutine choose_delay
    delay(1) = 2.0d0 * medians(ping_pong, min(size_count, most_sizes)) + 2.0d-4
    call MPI_Bcast(delay, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end subroutine choose_delay

  ! Whether a send that took so long waited for its receive.
  subroutine judge(took)
    double precision, intent(in) :: took
    is_eager = .not. agreed(took > delay(1) / 2)
    if (is_eager) then
       longest_eager = bytes
    else
       shortest_waiting = bytes
       limit_delay = delay
    end if
  end subroutine judge

  ! Between the last size that was sent without its receive and the first that was not.
  subroutine find_eager_limit
    double precision :: found(3)
    integer :: count
    if (longest_eager < 0 .or. shortest_waiting < 0) return
    delay = limit_delay
    do while (shortest_waiting - longest_eager > 1)
       bytes = (longest_eager + shortest_waiting) / 2
       call choose_elements
       call attempt_sample(late_send, found, count)
       call judge(found(1))
       if (rank == 0) call report(late_send, found, count)
    end do
  end subroutine find_eager_limit

  ! Messages that meet at one rank.
  subroutine measure_many
    do incast_size = 1, size(incast_sizes)
       bytes = incast_sizes(incast_size)
       if (bytes > min(largest, max(longest_eager, 0_long))) cycle
       call choose_elements
       call sample(incast, most_sizes + 1)
    end do
    bytes = min(largest, 1048576_long)
    call choose_elements
    size_count = min(size_count, most_sizes)
    call choose_delay
    call sample(behind, most_sizes + 1)
  end subroutine measure_many

  ! Powers of two, sizes halfway between some of them, and multiples of the step, in order, then the longest.
  integer(long) function next_size(size)
    integer(long), intent(in) :: size
    integer(long) :: halfway
    next_size = 1
    do while (next_size <= size)
       next_size = 2 * next_size
    end do
    halfway = next_size / 4 * 3
    if (next_size > first_halfway .and. next_size <= last_halfway .and. halfway > size) next_size = halfway
    next_size = min(next_size, (size / step + 1) * step, largest)
  end function next_size

  subroutine choose_elements
    if (bytes <= huge(elements)) then
       elements = int(bytes)
       datatype = MPI_BYTE
    else
       elements = int(bytes / 8)
       datatype = MPI_DOUBLE_PRECISION
       bytes = 8 * int(elements, long)
    end if
  end subroutine choose_elements

  ! Measures one kind at the present size, and prints the attempt with the smallest median.
  subroutine sample(what, place)
    integer, intent(in) :: what, place
    double precision :: best(3), found(3)
    integer :: attempt, count, best_count
    best = huge(1.0d0)
    best_count = 0
    do attempt = 1, most_attempts
       call attempt_sample(what, found, count)
       if (found(1) < best(1)) then
          best = found
          best_count = count
       end if
       if (.not. agreed(best(3) > wide * best(1))) exit
    end do
    if (rank /= 0) return
    call report(what, best, best_count)
    if (place > most_sizes) return
    if (medians(what, place) > 0.0d0) then
       medians(what, place) = min(medians(what, place), best(1))
    else
       medians(what, place) = best(1)
    end if
  end subroutine sample

  ! Median, minimum and distance of the quartiles of one attempt, all of them at rank 0 alone.
  subroutine attempt_sample(what, found, repetitions)
    integer, intent(in) :: what
    double precision, intent(out) :: found(3)
    integer, intent(out) :: repetitions
    integer :: i
    double precision :: began, passed
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (what == receive) call improve_flight
    began = MPI_Wtime()
    do i = 1, warm_ups
       times(1) = one_time(what)
    end do
    passed = MPI_Wtime() - began
    repetitions = agreed_repetitions(passed / warm_ups)
    do i = 1, repetitions
       times(i) = one_time(what)
    end do
    if (is_of_rank_1(what)) call hand_over(times)
    call summarise(repetitions, found)
  end subroutine attempt_sample

  ! Median, minimum and distance of the quartiles of the first times.
  subroutine summarise(count, found)
    integer, intent(in) :: count
    double precision, intent(out) :: found(3)
    call sort(count)
    found(1) = times((count + 1) / 2)
    found(2) = times(1)
    found(3) = times((3 * count + 3) / 4) - times((count + 3) / 4)
  end subroutine summarise

  logical function is_of_rank_1(what)
    integer, intent(in) :: what
    is_of_rank_1 = what == receive .or. what == late_receive .or. what == nonblocking_receive .or. what == poll
  end function is_of_rank_1

  ! Measures the sizes again that took longer than a longer message; whether there were any.
  logical function measured_again()
    double precision :: shortest
    integer :: what, place
    measured_again = .false.
    do what = ping_pong, exchange
       ! A send may end before its message is gone, so that long ones need not take longer.
       if (what == blocking_send) cycle
       shortest = huge(1.0d0)
       do place = min(size_count, most_sizes), 1, -1
          bytes = sizes(place)
          if (agreed(medians(what, place) > standing_out * shortest)) then
             measured_again = .true.
             call choose_elements
             call sample(what, place)
          end if
          shortest = min(shortest, medians(what, place))
       end do
    end do
  end function measured_again

  ! What rank 0 says.
  logical function agreed(opinion)
    logical, intent(in) :: opinion
    double precision :: answer(1)
    answer = merge(1.0d0, 0.0d0, opinion)
    call MPI_Bcast(answer, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
    agreed = answer(1) > 0.5d0
  end function agreed

  ! Rank 0 decides, so that both repeat equally often.
  integer function agreed_repetitions(passed)
    double precision, intent(in) :: passed
    double precision :: agreed(1)
    agreed(1) = min(dble(most_repetitions), seconds_per_size / max(passed, 1.0d-9))
    call MPI_Bcast(agreed, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
    agreed_repetitions = max(least_repetitions, int(agreed(1)))
  end function agreed_repetitions

  double precision function one_time(what)
    integer, intent(in) :: what
    one_time = 0.0d0
    if (what == incast) then
       one_time = incast_time()
    else if (what == behind .and. rank < 3) then
       one_time = behind_time()
    end if
    if (rank > 1) return
    select case (what)
    case (ping_pong)
       one_time = round_trip() / 2
    case (receive)
       one_time = receive_time()
    case (blocking_send)
       one_time = send_time()
    case (to_self)
       if (rank == 0) one_time = self_time()
    case (exchange)
       one_time = exchange_time()
    case (delayed)
       one_time = delayed_time()
    case (late_send)
       one_time = late_send_time()
    case (late_receive)
       one_time = late_receive_time()
    case (nonblocking_send)
       one_time = started_send_time(of_wait=.false.)
    case (wait)
       one_time = started_send_time(of_wait=.true.)
    case (nonblocking_receive)
       one_time = started_receive_time()
    case (poll)
       one_time = poll_time()
    case (flood)
       one_time = max(0.0d0, flood_time(flood_start + flood_length) - flood_time(flood_start)) / flood_length
    end select
  end function one_time

  double precision function round_trip()
    double precision :: began
    began = MPI_Wtime()
    if (rank == 0) then
       call send_message
       call receive_message
    else
       call receive_message
       call send_message
    end if
    round_trip = MPI_Wtime() - began
  end function round_trip

  double precision function delayed_time()
    double precision :: began
    began = empty_round_trip()
    began = MPI_Wtime()
    if (rank == 0) then
       call send_message
       call compute
       call receive_message
    else
       call receive_message
       call send_message
    end if
    delayed_time = MPI_Wtime() - began
  end function delayed_time

  double precision function receive_time()
    double precision :: began
    began = MPI_Wtime()
    if (rank == 0) then
       call await_sign
       call send_message
    else
       call give_sign
       call receive_message
    end if
    receive_time = max(0.0d0, MPI_Wtime() - began - flight(1))
  end function receive_time

  double precision function send_time()
    double precision :: began
    if (rank == 0) then
       call await_sign
       began = MPI_Wtime()
       call send_message
       send_time = MPI_Wtime() - began
    else
       call give_sign
       call receive_message
       send_time = 0.0d0
    end if
  end function send_time

  double precision function self_time()
    integer :: requests(2), statuses(MPI_STATUS_SIZE, 2)
    double precision :: began
    began = MPI_Wtime()
    call MPI_Irecv(other, elements, datatype, 0, message_tag, MPI_COMM_SELF, requests(1), error)
    call MPI_Isend(buffer, elements, datatype, 0, message_tag, MPI_COMM_SELF, requests(2), error)
    call MPI_Waitall(2, requests, statuses, error)
    self_time = MPI_Wtime() - began
  end function self_time

  double precision function exchange_time()
    integer :: status(MPI_STATUS_SIZE), i
    double precision :: began
    began = empty_round_trip()
    began = MPI_Wtime()
    do i = 1, exchanges
       call MPI_Sendrecv(buffer, elements, datatype, 1 - rank, message_tag, other, elements, datatype, 1 - rank, &
            message_tag, MPI_COMM_WORLD, status, error)
    end do
    exchange_time = (MPI_Wtime() - began) / exchanges
  end function exchange_time

  double precision function late_send_time()
    double precision :: began
    if (rank == 0) then
       call await_sign
       began = MPI_Wtime()
       call send_message
       late_send_time = MPI_Wtime() - began
    else
       call give_sign
       call compute
       call receive_message
       late_send_time = 0.0d0
    end if
  end function late_send_time

  double precision function late_receive_time()
    double precision :: began
    late_receive_time = 0.0d0
    if (rank == 0) then
       call await_sign
       call send_message
    else
       call give_sign
       call compute
       began = MPI_Wtime()
       call receive_message
       late_receive_time = MPI_Wtime() - began
    end if
  end function late_receive_time

  double precision function started_send_time(of_wait)
    logical, intent(in) :: of_wait
    integer :: status(MPI_STATUS_SIZE), request
    double precision :: began
    started_send_time = 0.0d0
    if (rank == 0) then
       call await_sign
       began = MPI_Wtime()
       call MPI_Isend(buffer, elements, datatype, 1, message_tag, MPI_COMM_WORLD, request, error)
       if (.not. of_wait) started_send_time = MPI_Wtime() - began
       if (of_wait) call compute
       began = MPI_Wtime()
       call MPI_Wait(request, status, error)
       if (of_wait) started_send_time = MPI_Wtime() - began
    else
       call give_sign
       call receive_message
    end if
  end function started_send_time

  double precision function started_receive_time()
    integer :: status(MPI_STATUS_SIZE), request
    double precision :: began
    started_receive_time = 0.0d0
    if (rank == 0) then
       call await_sign
       call send_message
    else
       began = MPI_Wtime()
       call MPI_Irecv(other, elements, datatype, 0, message_tag, MPI_COMM_WORLD, request, error)
       started_receive_time = MPI_Wtime() - began
       call give_sign
       call MPI_Wait(request, status, error)
    end if
  end function started_receive_time

  ! Rank 0 sends when rank 1 has tested, so that the tests find nothing. One test is shorter than many clocks show.
  double precision function poll_time()
    integer, parameter :: polls = 16
    integer :: status(MPI_STATUS_SIZE), request, i
    logical :: flag
    double precision :: began
    poll_time = 0.0d0
    if (rank == 0) then
       call await_sign
       call send_message
    else
       call MPI_Irecv(other, elements, datatype, 0, message_tag, MPI_COMM_WORLD, request, error)
       began = MPI_Wtime()
       do i = 1, polls
          call MPI_Test(request, flag, status, error)
       end do
       poll_time = (MPI_Wtime() - began) / polls
       call give_sign
       call MPI_Wait(request, status, error)
    end if
  end function poll_time

  ! Every operation with every type that programs reduce often.
  subroutine measure_reductions
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call reductions_of('real8', MPI_DOUBLE_PRECISION, 8, is_real=.true.)
    call reductions_of('real4', MPI_REAL, 4, is_real=.true.)
    call reductions_of('integer4', MPI_INTEGER, 4, is_real=.false.)
    call reductions_of('integer8', MPI_INTEGER8, 8, is_real=.false.)
    call reduction('sum', MPI_SUM, 'complex16', MPI_DOUBLE_COMPLEX, 16)
    call reduction('sum', MPI_SUM, 'complex8', MPI_COMPLEX, 8)
    call reduction('logical-and', MPI_LAND, 'logical4', MPI_LOGICAL, 4)
    call reduction('logical-or', MPI_LOR, 'logical4', MPI_LOGICAL, 4)
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine measure_reductions

  subroutine reductions_of(name, type, length, is_real)
    character(len=*), intent(in) :: name
    integer, intent(in) :: type, length
    logical, intent(in) :: is_real
    call reduction('sum', MPI_SUM, name, type, length)
    call reduction('product', MPI_PROD, name, type, length)
    call reduction('maximum', MPI_MAX, name, type, length)
    call reduction('minimum', MPI_MIN, name, type, length)
    if (is_real) return
    call reduction('bit-and', MPI_BAND, name, type, length)
    call reduction('bit-or', MPI_BOR, name, type, length)
  end subroutine reductions_of

  ! One element, for what a call costs, and many.
  subroutine reduction(operation, op, name, type, length)
    character(len=*), intent(in) :: operation, name
    integer, intent(in) :: op, type, length
    integer :: counts(2), i, repeated, number
    double precision :: began, found(3)
    if (rank /= 0) return
    counts = [1, reduced_bytes / length]
    ! All bits 0 are the number 0 of every type, which stays as it is.
    buffer(:reduced_bytes / 8) = 0.0d0
    other(:reduced_bytes / 8) = 0.0d0
    number = min(most_repetitions, 100)
    do i = 1, 2
       do repeated = 1 - warm_ups, number
          began = MPI_Wtime()
          call MPI_Reduce_local(buffer, other, counts(i), type, op, error)
          if (repeated > 0) times(repeated) = MPI_Wtime() - began
       end do
       call summarise(number, found)
       write (output_unit, '(a, 2(1x, a), 5(1x, i0))') 'mpiete-reduction', operation, name, counts(i), nanoseconds(found(1)), &
            nanoseconds(found(2)), nanoseconds(found(3)), number
    end do
    flush (output_unit)
  end subroutine reduction

  ! Rank 0 starts a send that waits for its receive, computes, and waits; rank 1 is in MPI_Recv. Either nothing is left to wait
  ! for, or all of the transfer.
  subroutine measure_progress
    integer :: status(MPI_STATUS_SIZE), request, i, number
    double precision :: began, transfer(3), waited(3)
    bytes = min(largest, 4 * max(shortest_waiting, 262144_long))
    if (shortest_waiting < 0 .or. bytes < shortest_waiting) return
    call choose_elements
    call attempt_sample(ping_pong, transfer, number)
    delay(1) = 2.0d0 * transfer(1) + 2.0d-4
    call MPI_Bcast(delay, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
    number = min(most_repetitions, 20)
    do i = 1 - warm_ups, number
       if (rank == 0) then
          call await_sign
          call MPI_Isend(buffer, elements, datatype, 1, message_tag, MPI_COMM_WORLD, request, error)
          call compute
          began = MPI_Wtime()
          call MPI_Wait(request, status, error)
          if (i > 0) times(i) = MPI_Wtime() - began
       else if (rank == 1) then
          call give_sign
          call receive_message
       end if
    end do
    if (rank /= 0) return
    call summarise(number, waited)
    write (output_unit, '(a, i0, a, i0, a, i0, a)') '# after computing, a send of ', bytes, ' B waited ', nanoseconds(waited(1)), &
         ' ns; a message of this length takes ', nanoseconds(transfer(1)), ' ns'
    if (waited(1) > transfer(1) / 2) then
       write (output_unit, '(a)') 'mpiete-setting progress in-call'
    else
       write (output_unit, '(a)') 'mpiete-setting progress asynchronous'
    end if
    flush (output_unit)
  end subroutine measure_progress

  ! Short messages to a rank that computes, until a send waits. There are no more of them than the network carries in a fraction
  ! of that time, so that none waits for the network.
  subroutine measure_credit
    integer :: i, messages
    double precision :: began, flooded(3), most(1)
    logical :: has_waited
    bytes = min(largest, longest_credit, longest_eager)
    if (bytes < 1) return
    call choose_elements
    call attempt_sample(flood, flooded, i)
    most(1) = min(dble(most_credits), credit_delay / 8 / max(flooded(1), 1.0d-9))
    call MPI_Bcast(most, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
    delay(1) = credit_delay
    has_waited = .false.
    messages = 0
    if (rank == 0) then
       call await_sign
       do i = 1, int(most(1))
          began = MPI_Wtime()
          call send_message
          began = MPI_Wtime() - began
          if (.not. has_waited .and. began > credit_delay / 4) then
             has_waited = .true.
             messages = i - 1
          end if
       end do
    else if (rank == 1) then
       call give_sign
       call compute
       do i = 1, int(most(1))
          call receive_message
       end do
    end if
    if (rank /= 0) return
    if (has_waited) then
       write (output_unit, '(a, i0)') 'mpiete-setting eager-credit ', messages * bytes
    else
       write (output_unit, '(a, i0, a)') '# a receiver that computes took ', int(most(1)) * bytes, ' B, all that were sent'
       write (output_unit, '(a)') 'mpiete-setting eager-credit unlimited'
    end if
    flush (output_unit)
  end subroutine measure_credit

  ! 8-byte numbers of a buffer for the blocks of all ranks.
  integer(long) function collective_numbers()
    integer :: i
    collective_numbers = 1
    do i = 1, size(collective_sizes)
       if (fits(collective_sizes(i))) collective_numbers = collective_sizes(i) / 8_long * ranks
    end do
  end function collective_numbers

  logical function fits(length)
    integer, intent(in) :: length
    fits = length <= max(largest, 8_long) .and. length * int(ranks, long) <= most_block_bytes
  end function fits

  ! All collectives by length: barriers have none.
  subroutine measure_collectives
    integer :: kind, i, node, on_node, per_node
    double precision :: own(1), most(1)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, error)
    call MPI_Comm_size(node, on_node, error)
    call MPI_Comm_free(node, error)
    own = on_node
    call MPI_Allreduce(own, most, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    per_node = int(most(1))
    do kind = 1, size(collective_names)
       if (kind == 1) then
          call measure_collective(kind, 0, per_node)
          cycle
       end if
       do i = 1, size(collective_sizes)
          if (fits(collective_sizes(i))) call measure_collective(kind, collective_sizes(i), per_node)
       end do
    end do
  end subroutine measure_collectives

  subroutine measure_collective(kind, length, per_node)
    integer, intent(in) :: kind, length, per_node
    integer :: repeated, number
    double precision :: began, passed, found(3)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    began = MPI_Wtime()
    do repeated = 1, warm_ups
       call perform(kind, length / 8)
    end do
    passed = MPI_Wtime() - began
    number = agreed_repetitions(passed / warm_ups)
    do repeated = 1, number
       ! Ranks leave a barrier at different times, by less than it takes; that much is in the times.
       call MPI_Barrier(MPI_COMM_WORLD, error)
       began = MPI_Wtime()
       call perform(kind, length / 8)
       times(repeated) = MPI_Wtime() - began
    end do
    call MPI_Allreduce(times, slowest, number, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
    times(:number) = slowest(:number)
    if (rank /= 0) return
    call summarise(number, found)
    write (output_unit, '(a, 1x, a, 7(1x, i0))') 'mpiete-collective', trim(collective_names(kind)), ranks, per_node, length, &
         nanoseconds(found(1)), nanoseconds(found(2)), nanoseconds(found(3)), number
    flush (output_unit)
  end subroutine measure_collective

  subroutine perform(kind, count)
    integer, intent(in) :: kind, count
    integer, parameter :: type = MPI_DOUBLE_PRECISION
    select case (kind)
    case (1)
       call MPI_Barrier(MPI_COMM_WORLD, error)
    case (2)
       call MPI_Bcast(buffer, count, type, 0, MPI_COMM_WORLD, error)
    case (3)
       call MPI_Reduce(buffer, other, count, type, MPI_SUM, 0, MPI_COMM_WORLD, error)
    case (4)
       call MPI_Allreduce(buffer, other, count, type, MPI_SUM, MPI_COMM_WORLD, error)
    case (5)
       call MPI_Gather(buffer, count, type, other, count, type, 0, MPI_COMM_WORLD, error)
    case (6)
       call MPI_Scatter(buffer, count, type, other, count, type, 0, MPI_COMM_WORLD, error)
    case (7)
       call MPI_Allgather(buffer, count, type, other, count, type, MPI_COMM_WORLD, error)
    case (8)
       call MPI_Alltoall(buffer, count, type, other, count, type, MPI_COMM_WORLD, error)
    case (9)
       call MPI_Reduce_scatter_block(buffer, other, count, type, MPI_SUM, MPI_COMM_WORLD, error)
    case (10)
       call MPI_Scan(buffer, other, count, type, MPI_SUM, MPI_COMM_WORLD, error)
    case (11)
       call MPI_Exscan(buffer, other, count, type, MPI_SUM, MPI_COMM_WORLD, error)
    end select
  end subroutine perform

  ! From the first send of so many to the sign that the last has been received.
  double precision function flood_time(messages)
    integer, intent(in) :: messages
    double precision :: began
    integer :: i
    began = empty_round_trip()
    began = MPI_Wtime()
    do i = 1, messages
       if (rank == 0) then
          call send_message
       else
          call receive_message
       end if
    end do
    if (rank == 0) then
       call await_sign
    else
       call give_sign
    end if
    flood_time = MPI_Wtime() - began
  end function flood_time

  ! From the sign to all other ranks until the messages of all have been received.
  double precision function incast_time()
    integer :: status(MPI_STATUS_SIZE), from
    double precision :: began
    began = MPI_Wtime()
    if (rank == 0) then
       do from = 1, ranks - 1
          call MPI_Send(buffer, 0, MPI_BYTE, from, sign_tag, MPI_COMM_WORLD, error)
       end do
       do from = 1, ranks - 1
          call MPI_Recv(other, elements, datatype, from, message_tag, MPI_COMM_WORLD, status, error)
       end do
    else
       call MPI_Recv(other, 0, MPI_BYTE, 0, sign_tag, MPI_COMM_WORLD, status, error)
       call MPI_Send(buffer, elements, datatype, 0, message_tag, MPI_COMM_WORLD, error)
    end if
    incast_time = MPI_Wtime() - began
  end function incast_time

  ! An empty round trip with rank 1 makes sure that the long message is on its way before rank 2 has its turn.
  double precision function behind_time()
    integer :: status(MPI_STATUS_SIZE), request
    double precision :: began, passed
    behind_time = 0.0d0
    select case (rank)
    case (0)
       call await_sign
       call MPI_Isend(buffer, elements, datatype, 1, message_tag, MPI_COMM_WORLD, request, error)
       call await_sign
       began = MPI_Wtime()
       call MPI_Send(buffer, 0, MPI_BYTE, 2, sign_tag, MPI_COMM_WORLD, error)
       call MPI_Recv(other, 0, MPI_BYTE, 2, sign_tag, MPI_COMM_WORLD, status, error)
       behind_time = MPI_Wtime() - began
       call MPI_Wait(request, status, error)
    case (1)
       call MPI_Irecv(other, elements, datatype, 0, message_tag, MPI_COMM_WORLD, request, error)
       call give_sign
       ! Until the request, if there is one, has come and been granted; rank 0 is inside MPI all the time.
       passed = MPI_Wtime() + delay(1) / 4
       do while (MPI_Wtime() < passed)
          call look
       end do
       call give_sign
       call MPI_Wait(request, status, error)
    case (2)
       call MPI_Recv(other, 0, MPI_BYTE, 0, sign_tag, MPI_COMM_WORLD, status, error)
       call MPI_Send(buffer, 0, MPI_BYTE, 0, sign_tag, MPI_COMM_WORLD, error)
    end select
  end function behind_time

  ! Lets the MPI library do what there is to do.
  subroutine look
    integer :: status(MPI_STATUS_SIZE)
    logical :: flag
    call MPI_Iprobe(MPI_ANY_SOURCE, sign_tag + 1, MPI_COMM_WORLD, flag, status, error)
  end subroutine look

  ! Outside MPI for the delay.
  subroutine compute
    double precision :: until
    until = MPI_Wtime() + delay(1)
    do while (MPI_Wtime() < until)
    end do
  end subroutine compute

  subroutine send_message
    call MPI_Send(buffer, elements, datatype, 1 - rank, message_tag, MPI_COMM_WORLD, error)
  end subroutine send_message

  subroutine receive_message
    integer :: status(MPI_STATUS_SIZE)
    call MPI_Recv(other, elements, datatype, 1 - rank, message_tag, MPI_COMM_WORLD, status, error)
  end subroutine receive_message

  subroutine give_sign
    call MPI_Send(buffer, 0, MPI_BYTE, 1 - rank, sign_tag, MPI_COMM_WORLD, error)
  end subroutine give_sign

  subroutine await_sign
    integer :: status(MPI_STATUS_SIZE)
    call MPI_Recv(other, 0, MPI_BYTE, 1 - rank, sign_tag, MPI_COMM_WORLD, status, error)
  end subroutine await_sign

  ! What rank 1 measured goes to rank 0, which prints.
  subroutine hand_over(values)
    double precision, intent(inout) :: values(:)
    integer :: status(MPI_STATUS_SIZE)
    if (rank == 0) then
       call MPI_Recv(values, size(values), MPI_DOUBLE_PRECISION, 1, sign_tag, MPI_COMM_WORLD, status, error)
    else if (rank == 1) then
       call MPI_Send(values, size(values), MPI_DOUBLE_PRECISION, 0, sign_tag, MPI_COMM_WORLD, error)
    end if
  end subroutine hand_over

  ! The fastest seen so far, looked for anew at every size: one that other programs disturb would
  ! be taken off all that follows.
  subroutine improve_flight
    integer :: i
    double precision :: trip
    do i = 1, 20
       if (rank > 1) exit
       trip = empty_round_trip()
       flight(1) = min(flight(1), trip / 2)
    end do
    call MPI_Bcast(flight, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  end subroutine improve_flight

  double precision function empty_round_trip()
    double precision :: began
    began = MPI_Wtime()
    if (rank == 0) then
       call give_sign
       call await_sign
    else
       call await_sign
       call give_sign
    end if
    empty_round_trip = MPI_Wtime() - began
  end function empty_round_trip

  ! Shell's method: short, and fast enough for thousands.
  subroutine sort(count)
    integer, intent(in) :: count
    integer :: gap, i, j
    double precision :: value
    gap = count / 2
    do while (gap > 0)
       do i = gap + 1, count
          value = times(i)
          j = i
          do while (j > gap)
             if (times(j - gap) <= value) exit
             times(j) = times(j - gap)
             j = j - gap
          end do
          times(j) = value
       end do
       gap = gap / 2
    end do
  end subroutine sort

  ! Prints median, minimum and distance of the quartiles.
  subroutine report(what, found, count)
    integer, intent(in) :: what, count
    double precision, intent(in) :: found(3)
    character(len=64) :: link
    link = link_class
    if (what == to_self) link = 'to-self'
    write (output_unit, '(a, 2(1x, a), 7(1x, i0))') 'mpiete-sample', trim(kind_names(what)), trim(link), &
         ranks, bytes, delay_of(what), nanoseconds(found(1)), nanoseconds(found(2)), nanoseconds(found(3)), count
    flush (output_unit)
  end subroutine report

  integer(long) function delay_of(what)
    integer, intent(in) :: what
    delay_of = 0
    if (what == late_send .or. what == delayed) delay_of = nanoseconds(delay(1))
  end function delay_of

  integer(long) function nanoseconds(seconds)
    double precision, intent(in) :: seconds
    nanoseconds = nint(seconds * 1.0d9, long)
  end function nanoseconds

  subroutine choose_link
    link_class = ''
    call get_command_argument(1, link_class)
    if (link_class == '') call get_environment_variable('MPIETE_LINK', link_class)
    if (link_class == '') link_class = 'between-nodes'
    of_collectives = link_class == 'collectives'
    if (of_collectives) return
    if (link_class == 'between-nodes' .or. link_class == 'inside-node') return
    if (is_switches(trim(link_class))) return
    call refuse("the link '" // trim(link_class) // "' is not one of between-nodes, inside-node, switches-N, collectives")
  end subroutine choose_link

  logical function is_switches(text)
    character(len=*), intent(in) :: text
    is_switches = index(text, 'switches-') == 1 .and. len(text) > 9
    if (is_switches) is_switches = verify(text(10:), '0123456789') == 0
  end function is_switches

  ! Comments on what ran where.
  subroutine describe
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: library
    character(len=MPI_MAX_PROCESSOR_NAME) :: names(2)
    integer :: length, first_line
    call MPI_Get_library_version(library, length, error)
    first_line = scan(library(:length) // achar(10), achar(10) // achar(0)) - 1
    call collect_names(names)
    if (rank /= 0) return
    write (output_unit, '(2a)') '# MPI library: ', library(:first_line)
    ! Without the last line, a reader knows that the output is incomplete.
    write (output_unit, '(a)') '# network probe, version 2'
    write (output_unit, '(4a)') '# rank 0 on ', trim(names(1)), ', rank 1 on ', trim(names(2))
    write (output_unit, '(a, i0, a)') '# resolution of MPI_Wtime: ', nanoseconds(MPI_Wtick()), ' ns'
    if (of_collectives) return
    if (names(1) == names(2) .and. link_class /= 'inside-node') then
       write (output_unit, '(2a)') '# both ranks run on one node, but the link is called ', trim(link_class)
       write (error_unit, '(3a)') 'comm_probe: both ranks run on one node, but the link is called ', &
            trim(link_class), '; place them on two nodes, or say inside-node'
    end if
  end subroutine describe

  subroutine collect_names(names)
    character(len=MPI_MAX_PROCESSOR_NAME), intent(out) :: names(2)
    double precision :: letters(MPI_MAX_PROCESSOR_NAME)
    integer :: length, i
    call MPI_Get_processor_name(names(1), length, error)
    names(1)(length + 1:) = ''
    do i = 1, MPI_MAX_PROCESSOR_NAME
       letters(i) = dble(iachar(names(1)(i:i)))
    end do
    call hand_over(letters)
    do i = 1, MPI_MAX_PROCESSOR_NAME
       names(2)(i:i) = achar(int(letters(i)))
    end do
  end subroutine collect_names

  ! Ends the run on all ranks, all of which come here, with a sentence from one.
  subroutine refuse(reason)
    character(len=*), intent(in) :: reason
    if (rank == 0) write (error_unit, '(2a)') 'comm_probe: ', reason
    call MPI_Finalize(error)
    stop 2
  end subroutine refuse

end program comm_probe
