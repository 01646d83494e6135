! ui: terms
! Substituted values are converted to the variable type.
! - Each of its elements has the value.
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
  j = m*0.5 !block
  do i = 1, j*20
!case 2
  j = nint(m*0.5) !block
  do i = 1, j*20
!case 3
  one%level = n !block
  do i = 1, int(one%level/3)
!case 4
  kinds = 3 !block
  do i = 1, sum(kinds)
!case 5
  words(1) = 'abcd' !block
  do i = 1, merge(3, 4, words(1) == 'abc')
!end case
    x(mod(i, 100) + 1) = 1
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
