! ui: terms
! The outer loop may make no iteration: then the count of the inner one is not evaluated.
! - What the outer loop asks exists.
program t
  use mpi
  integer, parameter :: two = 2
  type box
    integer :: cells
  end type
  integer :: ierr, i, j, n, me, none, few(3)
  integer, allocatable :: made
  integer, pointer :: named
  type(box), pointer :: boxed
  real :: x(100), share
  logical :: flag
  integer, external :: asked
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  flag = me > 3
  none = me - 1
  share = me - 0.5
  call mpi_barrier(mpi_comm_world, ierr)
  call swept(n, flag, me)
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  do j = 1, n !block
    do i = 1, made
      x(i) = x(i) + 1
    end do
  end do
!case 2
  do j = 1, n !block
    do i = 1, named
      x(i) = x(i) + 1
    end do
  end do
!case 3
  do j = 1, n !block
    do i = 1, boxed%cells
      x(i) = x(i) + 1
    end do
  end do
!case 4
  do j = 1, n !block
    do i = 1, few(none)
      x(i) = x(i) + 1
    end do
  end do
!case 5
  do j = 1, n !block
    do i = 1, int(sqrt(share))
      x(i) = x(i) + 1
    end do
  end do
!case 6
  do j = 1, n !block
    do i = 1, int(share)
      x(i) = x(i) + 1
    end do
  end do
!case 7
  do j = 1, n !block
    do i = 1, asked(me)
      x(i) = x(i) + 1
    end do
  end do
!case 8
  do j = 1, n !block
    do i = 1, 2**none
      x(i) = x(i) + 1
    end do
  end do
!case 9
  do j = 1, n !block
    do i = 1, none
      x(i) = x(i) + 1
    end do
  end do
!case 10
  do j = 1, n !block
    do i = 1, none/2
      x(i) = x(i) + 1
    end do
  end do
!case 11
  do j = 1, n !block
    do i = 1, none*2
      x(i) = x(i) + 1
    end do
  end do
!case 12
  do j = 1, n !block
    do i = 1, few(1)
      x(i) = x(i) + 1
    end do
  end do
!case 13
  do j = 1, n !block
    do i = 1, none**two
      x(i) = x(i) + 1
    end do
  end do
!case 14
  do j = 1, n !block
    do i = 1, mod(none, 3)
      x(i) = x(i) + 1
    end do
  end do
!case 15
  do j = 1, n !block
    do i = 1, max(none, 2)
      x(i) = x(i) + 1
    end do
  end do
!case 16
  do j = 1, n !block
    do i = 1, 7/none
      x(i) = x(i) + 1
    end do
  end do
!case 17
  do j = 1, n !block
    do i = 1, mod(7, none)
      x(i) = x(i) + 1
    end do
  end do
!case 18
  call divided(n, none) !block
!case 19
  do j = 1, few(none) !block
    do i = 1, few(none) - 1
      x(i) = x(i) + 1
    end do
  end do
!case 20
  do j = 1, made !block
    do i = 1, 2*made
      x(i) = x(i) + 1
    end do
  end do
!case 21
  do j = 1, few(none) !block
    do i = 1, few(n)
      x(i) = x(i) + 1
    end do
  end do
!case 22
  do j = 1, 3 !block
    do i = 1, few(none)
      x(i) = x(i) + 1
    end do
  end do
!end case
  call mpi_finalize(ierr)
contains
  subroutine swept(k, given, extra)
    integer, intent(in) :: k
    logical, intent(in) :: given
    integer, intent(in), optional :: extra
    integer :: j
    call mpi_barrier(mpi_comm_world, ierr)
    do j = 1, k !optional
      x(j) = x(j) + 1
      if (given) then
        if (extra == 1) then
          x(j) = x(j)*2
          x(j) = x(j) - 1
        end if
      end if
    end do
    call mpi_barrier(mpi_comm_world, ierr)
!case 18
  end subroutine
  subroutine divided(k, l)
    integer, intent(in) :: k, l
    integer :: i, j
    do j = 1, k
      do i = 1, 7/l
        x(i) = x(i) + 1
      end do
    end do
!end case
  end subroutine
end program
integer function asked(k)
  integer :: k
  asked = k
end function
