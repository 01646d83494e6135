! The wave equation on a string, by finite differences. Each rank has a part of the string and exchanges its ends.
program wave
  use mpi
  implicit none
  integer, parameter :: n = 1000, steps = 20
  double precision, parameter :: squared_speed = 0.25d0, pi = 3.141592653589793d0
  integer :: me, ranks, part, step, i, ierr
  integer :: status(MPI_STATUS_SIZE)
  double precision, allocatable :: before(:), now(:), next(:), string(:)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  part = n/ranks
  allocate (before(0:part + 1), now(0:part + 1), next(0:part + 1), string(n))
  do i = 0, part + 1
    now(i) = sin(2*pi*(me*part + i)/n)
    before(i) = now(i)
  end do
  do step = 1, steps
    if (me > 0) then
      call MPI_Send(now(1), 1, MPI_DOUBLE_PRECISION, me - 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Recv(now(0), 1, MPI_DOUBLE_PRECISION, me - 1, 0, MPI_COMM_WORLD, status, ierr)
    end if
    if (me < ranks - 1) then
      call MPI_Send(now(part), 1, MPI_DOUBLE_PRECISION, me + 1, 0, MPI_COMM_WORLD, ierr)
      call MPI_Recv(now(part + 1), 1, MPI_DOUBLE_PRECISION, me + 1, 0, MPI_COMM_WORLD, status, ierr)
    end if
    do i = 1, part
      next(i) = 2*now(i) - before(i) + squared_speed*(now(i - 1) - 2*now(i) + now(i + 1))
    end do
    before = now
    now(1:part) = next(1:part)
  end do
  call MPI_Gather(now(1), part, MPI_DOUBLE_PRECISION, string, part, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  if (me == 0) write (*, '(a,f12.6)') 'largest ', maxval(string)
  call MPI_Finalize(ierr)
end program wave
