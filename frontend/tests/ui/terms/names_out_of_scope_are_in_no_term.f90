! ui: terms
! Names out of scope are in no term.
!case 2
module sizes
  integer :: cells
end module
!end case
program t
  use mpi
!case 1
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
!case 2
  use sizes, only: mine => cells
  integer :: ierr, i, me
  real :: x(100)
!end case
  call mpi_init(ierr)
!case 1
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  m = 3*me
  read *, x, y, flags, kinds, words, one
  call mpi_barrier(mpi_comm_world, ierr)
  do j = 1, n !block
    block
      integer :: k
      k = j
      do i = 1, k
        a(i, j) = 1
      end do
    end block
!case 2
  call mpi_comm_rank(mpi_comm_world, mine, ierr)
  do i = 1, mine !block
    x(i) = 1
!end case
  end do
  call mpi_finalize(ierr)
end program
!case 1
subroutine sweep(k, b)
  integer :: k, j
  real :: b(*)
  do j = 2, k
    b(j) = 0
  end do
end subroutine
!end case
