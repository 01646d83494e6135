! Parallel Mandelbrot explorer in Fortran (MASE of Mizutani et al. 2004): a task tests whether consecutive points of a row
! lie in the set. A worker sends the result of a task with its request for the next. Arguments:
!
!   masters   one; several, each with an equal part of the tasks and of the workers; or 0: rank 0 begins alone, and a
!             master whose workers wait for long makes one of them the master of half of the tasks that are left and of
!             half of the workers, which come back when these tasks are done; then it may split again
!   points in each direction, iterations at most, points of a task (a divisor of the points in each direction; else a row)
!
! Rank 0 prints the number of points in the set. A worker that becomes a master prints its tasks.
program mandelbrot
  use mpi
  implicit none
  ! Tags: from a worker to its master, from a master to its worker, and results of a part of the tasks.
  integer, parameter :: result = 1, work = 2, stopped = 3, moved = 4, promoted = 5, part = 6
  ! Words of a worker's message before the points: task (0 for none), microseconds that it waited for it and computed it.
  integer, parameter :: head = 3
  integer :: rank, ranks, masters, points, limit, length, tasks, error, own, first, last, other, parts
  logical :: is_dynamic
  integer, allocatable :: image(:, :), workers(:)
  double precision :: began
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  masters = argument(1, 1)
  points = argument(2, 64)
  limit = argument(3, 1000)
  length = argument(4, points)
  is_dynamic = masters == 0
  masters = max(masters, 1)
  if (ranks < 2*masters .or. mod(points, length) /= 0) call mpi_abort(mpi_comm_world, 2, error)
  ! No worker's message is on this communicator.
  call mpi_comm_dup(mpi_comm_world, parts, error)
  tasks = points*(points/length)
  allocate (image(length, tasks))
  image = 0
  began = mpi_wtime()
  own = mod(rank, masters)
  if (rank >= masters) then
    call compute(own)
  else
    first = first_of(rank)
    last = first_of(rank + 1) - 1
    allocate (workers((ranks - 1 - rank)/masters))
    do other = 1, size(workers)
      workers(other) = rank + other*masters
    end do
    call serve(first, last, workers, -1)
    if (rank > 0) call mpi_send(image(1, first), (last - first + 1)*length, mpi_integer, 0, part, parts, error)
  end if
  if (rank == 0) then
    do other = 1, masters - 1
      first = first_of(other)
      last = first_of(other + 1) - 1
      call mpi_recv(image(1, first), (last - first + 1)*length, mpi_integer, other, part, parts, mpi_status_ignore, error)
    end do
    print '(a,i0,a,f12.6,a)', 'mandelbrot: ', count(image == limit), ' points in the set, ', mpi_wtime() - began, ' s'
  end if
  call mpi_comm_free(parts, error)
  call mpi_finalize(error)
contains
  integer function argument(number, otherwise)
    integer, intent(in) :: number, otherwise
    character(len=32) :: text
    argument = otherwise
    call get_command_argument(number, text)
    if (len_trim(text) > 0) read (text, *) argument
  end function

  ! The first task of a master.
  integer function first_of(master)
    integer, intent(in) :: master
    first_of = int(int(tasks, 8)*master/masters) + 1
  end function

  ! A worker: sends a result, and computes the task that it gets. One that is promoted becomes the master of others for a while.
  recursive subroutine compute(first_master)
    integer, intent(in) :: first_master
    integer :: status(mpi_status_size), master, order(3), filled
    integer, allocatable :: message(:), mine(:)
    double precision :: asked, got
    allocate (message(head + length))
    message(:head) = 0
    master = first_master
    do
      filled = head
      if (message(1) > 0) filled = head + length
      asked = mpi_wtime()
      call mpi_send(message, filled, mpi_integer, master, result, mpi_comm_world, error)
      call mpi_recv(order, 3, mpi_integer, master, mpi_any_tag, mpi_comm_world, status, error)
      got = mpi_wtime()
      message(:head) = 0
      if (status(mpi_tag) == stopped) then
        exit
      else if (status(mpi_tag) == moved) then
        master = order(1)
      else if (status(mpi_tag) == promoted) then
        allocate (mine(order(3)))
        call mpi_recv(mine, order(3), mpi_integer, master, promoted, mpi_comm_world, mpi_status_ignore, error)
        print '(a,i0,a,i0,a,i0,a,i0)', 'rank ', rank, ', of master ', master, ': tasks ', order(1), ' to ', order(2)
        call serve(order(1), order(2), mine, master)
        deallocate (mine)
        call mpi_send(image(1, order(1)), (order(2) - order(1) + 1)*length, mpi_integer, master, part, mpi_comm_world, error)
      else
        call compute_task(order(1), message(head + 1:))
        message(1) = order(1)
        message(2) = int((got - asked)*1d6)
        message(3) = int((mpi_wtime() - got)*1d6)
      end if
    end do
  end subroutine

  subroutine compute_task(task, to)
    integer, intent(in) :: task
    integer, intent(out) :: to(:)
    double precision :: cr, ci, r, i, next
    integer :: row, before, column, n
    row = (task - 1)/(points/length)
    before = mod(task - 1, points/length)*length
    do column = 1, length
      cr = -2 + 2.5d0*(before + column - 1)/points
      ci = -1.25d0 + 2.5d0*row/points
      r = 0
      i = 0
      n = 0
      do while (n < limit .and. r*r + i*i < 4)
        next = r*r - i*i + cr
        i = 2*r*i + ci
        r = next
        n = n + 1
      end do
      to(column) = n
    end do
  end subroutine

  ! A master: gives a task to each worker that asks. Then it stops them or, if it was promoted, sends them back to its own master.
  recursive subroutine serve(first, last, workers, back)
    integer, intent(in) :: first, last, workers(:), back
    integer :: status(mpi_status_size), next, final, left, reports, helper, leaving, source, answer(3), apart(3), k
    integer(8) :: waited, computed
    integer, allocatable :: message(:), theirs(:)
    logical :: is_leaving
    allocate (message(head + length), theirs(size(workers)))
    next = first
    final = last
    left = size(workers)
    helper = -1
    leaving = 0
    reports = 0
    waited = 0
    computed = 0
    do while (left > 0 .or. helper >= 0)
      call mpi_probe(mpi_any_source, mpi_any_tag, mpi_comm_world, status, error)
      source = status(mpi_source)
      if (status(mpi_tag) == part) then
        ! The helper is done, and so all of its workers have left it.
        call mpi_recv(image(1, apart(1)), (apart(2) - apart(1) + 1)*length, mpi_integer, source, part, mpi_comm_world, &
                      mpi_status_ignore, error)
        helper = -1
        reports = 0
        waited = 0
        computed = 0
        cycle
      end if
      call mpi_recv(message, head + length, mpi_integer, source, result, mpi_comm_world, mpi_status_ignore, error)
      if (message(1) > 0) then
        image(:, message(1)) = message(head + 1:)
        waited = waited + message(2)
        computed = computed + message(3)
        reports = reports + 1
      end if
      is_leaving = .false.
      do k = 1, leaving
        if (theirs(k) == source) then
          theirs(k) = theirs(leaving)
          leaving = leaving - 1
          is_leaving = .true.
          exit
        end if
      end do
      answer = next
      if (is_leaving) then
        answer(1) = helper
        call mpi_send(answer, 3, mpi_integer, source, moved, mpi_comm_world, error)
      else if (next > final) then
        left = left - 1
        answer(1) = back
        call mpi_send(answer, 3, mpi_integer, source, merge(moved, stopped, back >= 0), mpi_comm_world, error)
      else if (is_dynamic .and. helper < 0 .and. left >= 4 .and. reports >= 2*left .and. 4*waited > computed &
               .and. final - next + 1 >= 2*left) then
        ! Workers wait for long: this one becomes the master of half of the tasks and of the others.
        helper = source
        do k = 1, size(workers)
          if (workers(k) /= source .and. leaving < (left - 1)/2) then
            leaving = leaving + 1
            theirs(leaving) = workers(k)
          end if
        end do
        apart = [(next + final)/2 + 1, final, leaving]
        final = apart(1) - 1
        call mpi_send(apart, 3, mpi_integer, source, promoted, mpi_comm_world, error)
        call mpi_send(theirs, leaving, mpi_integer, source, promoted, mpi_comm_world, error)
      else
        call mpi_send(answer, 3, mpi_integer, source, work, mpi_comm_world, error)
        next = next + 1
      end if
    end do
  end subroutine
end program
