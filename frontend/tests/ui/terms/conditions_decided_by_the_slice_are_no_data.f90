! ui: terms
! Conditions decided by the slice are no data.
! - Decided for each element.
! - Its condition does not affect the calls.
program t
  use mpi
  integer, parameter :: big = 50
  integer :: ierr, i, j, n, m, me
  real :: a(100, 100), x(100)
  logical :: flags(100)
  integer :: kinds(100)
  character(3) :: words(100)
  type state
    real :: level
    integer :: number
  end type
  type(state) :: one
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  m = 3*me
  read *, x, y, flags, kinds, words, one
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  y = y + 2 !block
  if (y > 3) then
    x(2) = 3
    n = 7
  end if
  if (n == 7) call mpi_barrier(mpi_comm_world, ierr)
!case 2
  do i = 1, n !block
    if (x(i) > 3) then
      a(i, 1) = 1
      a(i, 2) = 2
      me = 7
    end if
  end do
  if (me == 7) call mpi_barrier(mpi_comm_world, ierr)
!case 3
  y = y + 2 !block
  if (y > 3) then
    x(2) = 3
    x(3) = 7
  end if
!end case
  call mpi_finalize(ierr)
end program
subroutine sweep(k, b)
  integer :: k, j
  real :: b(*)
  do j = 2, k
    b(j) = 0
  end do
end subroutine
