! ui: terms
! Branches of equal length do the same work, so that their condition is no term.
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
  do i = 1, n !block
!case 1
    if (me == 0) then
      x(i) = 1
    else
      x(i) = 2
    end if
!case 2
    x(i) = 1
    a(i, 1) = 1
    a(i, 2) = 1
    a(i, 3) = 1
    if (me == 0) x(i) = 2
!end case
  end do
  call mpi_finalize(ierr)
end program
subroutine sweep(k, b)
  integer :: k, j
  real :: b(*)
  do j = 2, k
    b(j) = 0
  end do
end subroutine
