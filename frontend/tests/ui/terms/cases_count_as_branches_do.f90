! ui: terms
! Loops in the cases of a selection count under the condition of their case, as those in branches of an IF.
program t
  use mpi
  integer, parameter :: first = 2
  integer :: ierr, i, j, n, m, k, me, np
  real :: x(100)
  logical :: flag
  character(3) :: word
  class(*), allocatable :: object
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  n = me + 2
  m = 3*me
  k = mod(me, 3)
  flag = me > 1
  word = 'abc'
  read *, x
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  select case (me) !block
  case (0)
    do i = 1, n
      x(i) = 1
    end do
  end select
!case 2
  select case (k) !block
  case (0, first)
    do i = 1, n
      x(i) = 1
    end do
  case default
    do i = 1, m
      x(i) = 1
    end do
  end select
!case 3
  select case (me) !block
  case default
    do i = 1, m
      x(i) = 1
    end do
  case (:first)
    do i = 1, n
      x(i) = 1
    end do
  case (5:7)
    do i = 1, n
      x(i) = 1
    end do
  case (9:)
    do i = 1, n
      x(i) = 1
    end do
  end select
!case 4
  j = 3 !block
  select case (me)
  case (1)
    j = n
  case (2:)
    j = m
  end select
  do i = 1, j
    x(i) = 1
  end do
!case 5
  select case (flag) !block
  case (.true.)
    do i = 1, n
      x(i) = 1
    end do
  end select
!case 6
  select case (word) !block
  case ('abc')
    do i = 1, n
      x(i) = 1
    end do
  end select
!case 7
  select case (int(x(1))) !block
  case (1)
    do i = 1, n
      x(i) = 1
    end do
  end select
!case 8
  select type (object) !block
  type is (integer)
    do i = 1, n
      x(i) = 1
    end do
  end select
!case 9
  do i = 1, n !block
    select case (mod(i, np))
    case (0)
      do j = 1, m
        x(j) = 1
      end do
    end select
  end do
!end case
  call mpi_finalize(ierr)
end program
