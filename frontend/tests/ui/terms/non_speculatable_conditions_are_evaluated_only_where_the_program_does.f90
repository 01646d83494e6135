! ui: terms
! Non speculatable conditions are evaluated only where the program does.
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
  do i = 1, n !block
    x(i) = x(i) + 1
    if (flag) then
!case 1
      if (made == 1) then
!case 2
      if (named == 1) then
!case 3
      if (boxed%cells == 1) then
!case 4
      if (few(none) == 1) then
!case 5
      if (few(1) == 1) then
!case 6
      if (7/none == 1) then
!case 7
      if (mod(7, none) == 1) then
!case 8
      if (int(sqrt(share)) == 1) then
!case 9
      if (int(share) == 1) then
!case 10
      if (asked(me) == 1) then
!case 11
      if (2**none == 1) then
!case 12
      if (share > 0) then
!case 13
      if (none/2 == 1) then
!case 14
      if (mod(none, two) == 1) then
!case 15
      if (none > 0 .and. .not. flag) then
!end case
        x(i) = x(i)*2
        x(i) = x(i) - 1
      end if
    end if
  end do
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
