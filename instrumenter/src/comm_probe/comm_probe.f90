! Communication probe of mpiete: times of messages between two ranks, by size.
!
! Prints a sample a line, with times in nanoseconds:
!   mpiete-sample KIND LINK RANKS BYTES DELAY_NS MEDIAN_NS MIN_NS SPREAD_NS REPETITIONS
! SPREAD_NS is the distance of the quartiles. Lines that start with # are comments.
!
! Kinds:
!   ping-pong      half a round trip of MPI_Send and MPI_Recv
!   receive        MPI_Recv on rank 1, entered before rank 0 sends: from the moment rank 0 may
!                  send until MPI_Recv returns. Rank 1 gives the sign with an empty message, whose
!                  own time (half the fastest empty round trip) is taken off.
!   blocking-send  MPI_Send on rank 0, while rank 1 waits in MPI_Recv
!   to-self        MPI_Irecv, MPI_Isend and MPI_Waitall of rank 0 with itself
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
  double precision, parameter :: seconds_per_size = @SECONDS@.0d0
  integer, parameter :: least_repetitions = min(5, most_repetitions)
  ! Executions before the first that counts: connections are made, buffers pinned.
  integer, parameter :: warm_ups = 3

  integer, parameter :: ping_pong = 1, receive = 2, blocking_send = 3, to_self = 4
  character(len=13), parameter :: kind_names(4) = &
       [character(len=13) :: 'ping-pong', 'receive', 'blocking-send', 'to-self']
  integer, parameter :: message_tag = 7, sign_tag = 8

  ! One type for all that is sent: some MPI libraries have no interfaces for their buffers.
  double precision, allocatable :: buffer(:), other(:), times(:)
  integer(long) :: bytes, numbers
  integer :: rank, ranks, error, measured
  integer :: elements, datatype
  ! Time of an empty message.
  double precision :: flight(1)
  character(len=64) :: link_class

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call choose_link
  if (ranks /= 2) call refuse('needs exactly 2 ranks; start it with: mpirun -n 2 ./comm_probe')
  ! Longer messages are sent as 8-byte numbers, of which a count can be as many again.
  numbers = largest
  numbers = numbers / 8 + 1
  if (numbers > huge(elements)) call refuse('the longest message is more than MPI counts; write the probe for less')
  allocate (buffer(numbers), other(numbers), times(most_repetitions), stat=error)
  if (error /= 0) call refuse('there is no memory for the longest message; write the probe for less')
  buffer = 0.0d0
  other = 0.0d0
  times = 0.0d0
  flight = huge(1.0d0)
  call describe

  bytes = 0
  do
     call choose_elements
     do measured = ping_pong, to_self
        call sample(measured)
     end do
     if (bytes >= largest) exit
     bytes = next_size(bytes)
  end do
  call MPI_Finalize(error)

contains

  ! Powers of two and multiples of the step, in order, then the longest.
  integer(long) function next_size(size)
    integer(long), intent(in) :: size
    next_size = 1
    do while (next_size <= size)
       next_size = 2 * next_size
    end do
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

  subroutine sample(what)
    integer, intent(in) :: what
    integer :: i, repetitions
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
    if (what == receive) call hand_over(times)
    call sort(repetitions)
    if (rank == 0) call report(what, repetitions)
  end subroutine sample

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
    select case (what)
    case (ping_pong)
       one_time = round_trip() / 2
    case (receive)
       one_time = receive_time()
    case (blocking_send)
       one_time = send_time()
    case (to_self)
       if (rank == 0) one_time = self_time()
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
    else
       call MPI_Send(values, size(values), MPI_DOUBLE_PRECISION, 0, sign_tag, MPI_COMM_WORLD, error)
    end if
  end subroutine hand_over

  ! The fastest seen so far, looked for anew at every size: one that other programs disturb would
  ! be taken off all that follows.
  subroutine improve_flight
    integer :: i
    double precision :: trip
    do i = 1, 20
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

  subroutine report(what, count)
    integer, intent(in) :: what, count
    character(len=64) :: link
    double precision :: spread
    link = link_class
    if (what == to_self) link = 'to-self'
    spread = times((3 * count + 3) / 4) - times((count + 3) / 4)
    write (output_unit, '(a, 2(1x, a), 7(1x, i0))') 'mpiete-sample', trim(kind_names(what)), trim(link), &
         ranks, bytes, 0, nanoseconds(times((count + 1) / 2)), nanoseconds(times(1)), nanoseconds(spread), count
    flush (output_unit)
  end subroutine report

  integer(long) function nanoseconds(seconds)
    double precision, intent(in) :: seconds
    nanoseconds = nint(seconds * 1.0d9, long)
  end function nanoseconds

  subroutine choose_link
    link_class = ''
    call get_command_argument(1, link_class)
    if (link_class == '') call get_environment_variable('MPIETE_LINK', link_class)
    if (link_class == '') link_class = 'between-nodes'
    if (link_class == 'between-nodes' .or. link_class == 'inside-node') return
    if (is_switches(trim(link_class))) return
    call refuse("the link '" // trim(link_class) // "' is not one of between-nodes, inside-node, switches-N")
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
    write (output_unit, '(4a)') '# rank 0 on ', trim(names(1)), ', rank 1 on ', trim(names(2))
    write (output_unit, '(a, i0, a)') '# resolution of MPI_Wtime: ', nanoseconds(MPI_Wtick()), ' ns'
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
