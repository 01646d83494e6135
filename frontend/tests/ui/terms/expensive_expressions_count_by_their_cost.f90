! ui: terms
! One statement of many, which takes longer than all others, or a tenth of their time.
! - A term covers it where one can.
! - What all ways have does not depend on which is gone.
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
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
!case 1
    if (x(i) > 0.5) a(i, 2) = log(1 + exp(sin(x(i)))**1.7)
!case 2
    if (x(i) > 0.5) a(i, 2) = sqrt(x(i))
!case 3
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    if (x(i) > 0.5) a(i, 2) = exp(x(i))*cos(x(i))
!case 4
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    a(i, 1) = a(i, 1)*0.5 + 1
    if (x(i) > 0.5) a(i, 2) = x(i)/x(1)
!case 5
    if (x(i) > 0.5) a(i, 2) = x(i)*x(1)
!case 6
    if (x(i) > 0.5) a(i, 2) = x(i)**2/3
!case 7
    if (x(i) > 0.5) a(i, 2) = x(i)**n
!case 8
    if (me == 0) a(i, 2) = exp(x(i))
!case 9
    if (exp(x(i)) > 0.5) a(i, 2) = x(1)
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
