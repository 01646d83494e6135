! ui: terms
! Concurrent loops sections and implied loops have steps.
! - The section may not be executed.
program t
  use mpi
  integer :: ierr, i, j, k, n, me, np, s
  integer(2) :: short, low, high
  integer(8) :: long
  real :: u(1000), x
  type grid
    integer :: by
  end type
  type(grid) :: g
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  n = 10*np
  s = me
  short = 1000_2
  low = int(-me, 2)
  high = int(me, 2)
  long = me
  g%by = np
  read *, x, u
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  do concurrent (k = me + 1:n:np) !block
    u(k) = 1
  end do
!case 2
  u(me + 1:n:np) = 1 !block
!case 3
  u(1:n:s) = u(1:n:s) + 1 !block
!case 4
  x = sum([(sin(real(k)), k = me + 1, n, np)]) !block
!end case
  call mpi_finalize(ierr)
end program
subroutine every(from, step)
  integer :: from, step, k
  do k = from, 100, step
    call touch(k)
  end do
contains
  subroutine touch(k)
    integer :: k, i
    real :: v(50)
    do i = 1, 50
      v(i) = k
    end do
  end subroutine
end subroutine
subroutine perhaps(step)
  integer :: step, k, step_sum
  step_sum = 0
  if (step /= 0) then
    do k = 1, 100, step
      step_sum = step_sum + k
    end do
  end if
end subroutine
