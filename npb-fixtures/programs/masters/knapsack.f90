! Branch and bound in Fortran, with the problems, messages and results of knapsack.c: the most valuable subset of objects that
! fits into a knapsack. Rank 0 keeps the open subproblems and the best value so far, and gives a subproblem to each worker that
! asks; a worker explores a few levels and gives back what is still open. Arguments: objects, seed.
program knapsack
  use mpi
  implicit none
  integer, parameter :: ask = 1, work = 2, stopped = 3, most = 64, levels = 12
  ! A subproblem: number of objects that are decided, and value and weight of those chosen.
  type subproblem
    integer :: decided, value, weight
  end type
  type(subproblem), allocatable :: stack(:)
  integer :: depth, objects, values(most), weights(most), capacity, best, rank, ranks, error
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  objects = argument(1, 30)
  allocate (stack(1024))
  depth = 0
  best = 0
  call make_objects(int(argument(2, 1), 8))
  if (rank == 0) then
    call serve()
  else
    call compute()
  end if
  call mpi_finalize(error)
contains
  integer function argument(number, otherwise)
    integer, intent(in) :: number, otherwise
    character(len=32) :: text
    argument = otherwise
    call get_command_argument(number, text)
    if (len_trim(text) > 0) read (text, *) argument
  end function

  ! Objects in the order of value per weight.
  subroutine make_objects(first_seed)
    integer(8), intent(in) :: first_seed
    integer(8) :: seed
    integer :: k, j, value, weight
    seed = first_seed
    capacity = 0
    do k = 1, objects
      weights(k) = 50 + random(seed, 100)
      values(k) = weights(k) + random(seed, 20)
      capacity = capacity + weights(k)
    end do
    capacity = capacity/2
    do k = 2, objects
      do j = k, 2, -1
        if (dble(values(j))/weights(j) <= dble(values(j - 1))/weights(j - 1)) exit
        value = values(j)
        weight = weights(j)
        values(j) = values(j - 1)
        weights(j) = weights(j - 1)
        values(j - 1) = value
        weights(j - 1) = weight
      end do
    end do
  end subroutine

  ! The next random number below a limit.
  integer function random(seed, below)
    integer(8), intent(inout) :: seed
    integer, intent(in) :: below
    seed = iand(seed*1103515245_8 + 12345_8, 4294967295_8)
    random = int(mod(ishft(seed, -16), int(below, 8)))
  end function

  subroutine push(item)
    type(subproblem), intent(in) :: item
    type(subproblem), allocatable :: larger(:)
    if (depth == size(stack)) then
      allocate (larger(2*depth))
      larger(:depth) = stack
      call move_alloc(larger, stack)
    end if
    depth = depth + 1
    stack(depth) = item
  end subroutine

  ! What can be reached at most: the rest by value per weight, the last object in part.
  double precision function bound(at)
    type(subproblem), intent(in) :: at
    integer :: left, k
    bound = at%value
    left = capacity - at%weight
    do k = at%decided + 1, objects
      if (weights(k) > left) then
        bound = bound + dble(values(k))*left/weights(k)
        return
      end if
      left = left - weights(k)
      bound = bound + values(k)
    end do
  end function

  recursive subroutine explore(at, deeper)
    type(subproblem), intent(in) :: at
    integer, intent(in) :: deeper
    type(subproblem) :: with, without
    best = max(best, at%value)
    if (at%decided == objects) return
    if (bound(at) <= best) return
    if (deeper == 0) then
      call push(at)
      return
    end if
    with = subproblem(at%decided + 1, at%value + values(at%decided + 1), at%weight + weights(at%decided + 1))
    without = subproblem(at%decided + 1, at%value, at%weight)
    if (with%weight <= capacity) call explore(with, deeper - 1)
    call explore(without, deeper - 1)
  end subroutine

  subroutine serve()
    integer :: status(mpi_status_size), length, k, idle, task(4)
    integer, allocatable :: message(:), waiting(:)
    type(subproblem) :: at
    allocate (waiting(ranks))
    idle = 0
    call push(subproblem(0, 0, 0))
    ! Workers wait if nothing is open. Once all do, nothing will be.
    do while (idle < ranks - 1)
      call mpi_probe(mpi_any_source, ask, mpi_comm_world, status, error)
      call mpi_get_count(status, mpi_integer, length, error)
      allocate (message(length))
      call mpi_recv(message, length, mpi_integer, status(mpi_source), ask, mpi_comm_world, mpi_status_ignore, error)
      best = max(best, message(1))
      do k = 2, length, 3
        call push(subproblem(message(k), message(k + 1), message(k + 2)))
      end do
      deallocate (message)
      idle = idle + 1
      waiting(idle) = status(mpi_source)
      do while (idle > 0 .and. depth > 0)
        at = stack(depth)
        depth = depth - 1
        if (bound(at) <= best) cycle
        task = [best, at%decided, at%value, at%weight]
        call mpi_send(task, 4, mpi_integer, waiting(idle), work, mpi_comm_world, error)
        idle = idle - 1
      end do
    end do
    do k = 1, idle
      call mpi_send(best, 1, mpi_integer, waiting(k), stopped, mpi_comm_world, error)
    end do
    print '(a,i0)', 'knapsack: best value ', best
  end subroutine

  subroutine compute()
    integer :: status(mpi_status_size), k, task(4)
    integer, allocatable :: message(:)
    do
      allocate (message(1 + 3*depth))
      message(1) = best
      do k = 1, depth
        message(3*k - 1:3*k + 1) = [stack(k)%decided, stack(k)%value, stack(k)%weight]
      end do
      call mpi_send(message, size(message), mpi_integer, 0, ask, mpi_comm_world, error)
      deallocate (message)
      depth = 0
      call mpi_recv(task, 4, mpi_integer, 0, mpi_any_tag, mpi_comm_world, status, error)
      if (status(mpi_tag) == stopped) exit
      best = max(best, task(1))
      call explore(subproblem(task(2), task(3), task(4)), levels)
    end do
  end subroutine
end program
