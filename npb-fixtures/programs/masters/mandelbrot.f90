! Parallel Mandelbrot explorer in Fortran, as mandelbrot.c with one master, or with several that each have an equal part of
! the rows and of the workers. Arguments: masters, points in each direction, iterations at most. Rank 0 prints the
! number of points in the set.
program mandelbrot
  use mpi
  implicit none
  integer, parameter :: ask = 1, work = 2, result = 3, stopped = 4, rows = 5
  integer :: rank, ranks, masters, points, limit, error, own, first, last, other, parts
  integer, allocatable :: image(:, :)
  double precision :: began
  call mpi_init(error)
  call mpi_comm_rank(mpi_comm_world, rank, error)
  call mpi_comm_size(mpi_comm_world, ranks, error)
  masters = argument(1, 1)
  points = argument(2, 64)
  limit = argument(3, 1000)
  if (ranks < 2*masters) call mpi_abort(mpi_comm_world, 2, error)
  ! No worker's message is on this communicator.
  call mpi_comm_dup(mpi_comm_world, parts, error)
  allocate (image(points, points))
  image = 0
  began = mpi_wtime()
  own = mod(rank, masters)
  if (rank >= masters) then
    call compute()
  else
    first = points*rank/masters + 1
    last = points*(rank + 1)/masters
    call serve(first, last)
    if (rank > 0) call mpi_send(image(1, first), (last - first + 1)*points, mpi_integer, 0, rows, parts, error)
  end if
  if (rank == 0) then
    do other = 1, masters - 1
      first = points*other/masters + 1
      last = points*(other + 1)/masters
      call mpi_recv(image(1, first), (last - first + 1)*points, mpi_integer, other, rows, parts, mpi_status_ignore, error)
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

  ! A worker: asks, computes a row, sends it.
  subroutine compute()
    integer :: status(mpi_status_size), row
    integer, allocatable :: message(:)
    allocate (message(points + 1))
    do
      call mpi_send(rank, 1, mpi_integer, own, ask, mpi_comm_world, error)
      call mpi_recv(row, 1, mpi_integer, own, mpi_any_tag, mpi_comm_world, status, error)
      if (status(mpi_tag) == stopped) exit
      message(1) = row
      call compute_row(row, message(2:))
      call mpi_send(message, points + 1, mpi_integer, own, result, mpi_comm_world, error)
    end do
  end subroutine

  subroutine compute_row(row, to)
    integer, intent(in) :: row
    integer, intent(out) :: to(:)
    double precision :: cr, ci, r, i, next
    integer :: column, n
    do column = 1, points
      cr = -2 + 2.5d0*(column - 1)/points
      ci = -1.25d0 + 2.5d0*(row - 1)/points
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

  ! A master: gives a row to each worker that asks, until all of its workers are stopped.
  subroutine serve(first, last)
    integer, intent(in) :: first, last
    integer :: status(mpi_status_size), next, left
    integer, allocatable :: message(:)
    allocate (message(points + 1))
    next = first
    left = (ranks - 1 - rank)/masters
    do while (left > 0)
      call mpi_recv(message, points + 1, mpi_integer, mpi_any_source, mpi_any_tag, mpi_comm_world, status, error)
      if (status(mpi_tag) == result) then
        image(:, message(1)) = message(2:)
      else if (next > last) then
        left = left - 1
        call mpi_send(next, 1, mpi_integer, status(mpi_source), stopped, mpi_comm_world, error)
      else
        call mpi_send(next, 1, mpi_integer, status(mpi_source), work, mpi_comm_world, error)
        next = next + 1
      end if
    end do
  end subroutine
end program
