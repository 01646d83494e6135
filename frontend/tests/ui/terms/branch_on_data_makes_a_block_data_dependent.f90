! ui: terms
! Branch on data makes a block data dependent.
! - Asked once, beside a loop.
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
    x(i) = i
!case 1
    if (x(i) > 3) then
      a(i, 1) = 1
      a(i, 2) = 2
    end if
!case 2
    if (x(i) > 3) then
      a(i, 1) = 1
      a(i, 2) = 2
    else
      a(i, 1) = 1
      a(i, 2) = 2
    end if
!case 3
    if (i > 3) then
      a(i, 1) = 1
      a(i, 2) = 2
    end if
!case 4
    if (x(i) > 3) then
      a(i, 1) = 1
      a(i, 2) = 2
      stop
    end if
!case 5
    if (flags(i)) then
      a(i, 1) = 1
      a(i, 2) = 2
    end if
!case 6
    if (flags(3)) then
      a(i, 1) = 1
      a(i, 2) = 2
    end if
!case 7
    if (words(i) == 'on') then
      a(i, 1) = 1
      a(i, 2) = 2
    end if
!case 8
    if (one%level > 3) then
      a(i, 1) = 1
      a(i, 2) = 2
    end if
!case 9
    if (one%number > 3) then
      a(i, 1) = 1
      a(i, 2) = 2
    end if
!case 10
    select case (kinds(i))
    case (1)
      a(i, 1) = 1
      a(i, 2) = 2
    end select
!case 11
    select case (kinds(i))
    case (1)
      a(i, 1) = 1
      a(i, 2) = 2
    case default
      a(i, 1) = 1
      a(i, 2) = 2
    end select
!end case
  end do
!case 12
  if (x(1) > 3) x(2) = 3
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
