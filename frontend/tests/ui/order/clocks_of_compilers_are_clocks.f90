! ui: order diagnostics
! Compilers' own clocks, as functions and as subroutines; a procedure of the program may have their
! names.
! - An array that a clock writes is no computed data.
program t
  use mpi
  integer, parameter :: n = 4
  integer :: i, j, k, m, last, total, other, index, count, error, reqs(n), list(n), length(n), table(n), side(n)
  integer :: status(mpi_status_size), statuses(mpi_status_size, n)
  logical :: flag, done
  real :: x(100), y, sum, product
  common /shared/ length, m
  call mpi_init(error)
!case 1
  call etime(x, y)
  if (y > 2) call mpi_barrier(mpi_comm_world, error)

!case 2
  call dtime(x, y)
  if (y > 2) call mpi_barrier(mpi_comm_world, error)

!case 3
  call second(y)
  if (y > 2) call mpi_barrier(mpi_comm_world, error)

!case 4
  call itime(table)
  if (table(2) > 2) call mpi_barrier(mpi_comm_world, error)

!case 5
  call idate(table)
  if (table(2) > 2) call mpi_barrier(mpi_comm_world, error)

!case 6
  y = etime(table)
  if (table(2) > 2) call mpi_barrier(mpi_comm_world, error)

!case 7
  table = time8()
  if (table(2) > 2) call mpi_barrier(mpi_comm_world, error)

!case 8
  do i = 1, n
    call etime(x, y)
    if (y > 2) exit
    call mpi_barrier(mpi_comm_world, error)
  end do

!case 9
  m = time()
  call ltime(m, table)
  do i = 1, table(1)
    call mpi_barrier(mpi_comm_world, error)
  end do

!case 10
  m = 3
  call ltime(m, table)
  do i = 1, table(1)
    call mpi_barrier(mpi_comm_world, error)
  end do

!case 11
  m = getpid()
  call ltime(m, table)
  do i = 1, table(1)
    call mpi_barrier(mpi_comm_world, error)
  end do

!case 12
  call second(y)
  if (y > 2) call mpi_barrier(mpi_comm_world, error)
!end case
  call mpi_finalize(error)
end program
!case 12
subroutine second(y)
  real :: y
  y = 3
end subroutine
!end case
