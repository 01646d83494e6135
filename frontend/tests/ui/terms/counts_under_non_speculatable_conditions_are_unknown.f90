! ui: terms
! Counts under non speculatable conditions are unknown.
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
  if (flag) then !block
!case 1
    do i = 1, 7/none
!case 2
    do i = 1, made
!case 3
    do i = 1, named
!case 4
    do i = 1, boxed%cells
!case 5
    do i = 1, few(none)
!case 6
    do i = 1, few(1)
!case 7
    do i = 1, mod(7, none)
!case 8
    do i = 1, int(sqrt(share))
!case 9
    do i = 1, int(share)
!case 10
    do i = 1, asked(me)
!case 11
    do i = 1, 2**none
!case 12
    do i = 1, none/2
!case 13
    do i = 1, none*2
!end case
      x(i) = x(i) + 1
    end do
  end if
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
  end subroutine
end program
integer function asked(k)
  integer :: k
  asked = k
end function
