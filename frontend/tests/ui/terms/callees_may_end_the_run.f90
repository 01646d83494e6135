! ui: terms
! Callees may end the run.
program t
  use mpi
  type box
    integer :: cells
    integer, pointer :: lent
  end type
  integer :: ierr, i, n, none, few(3) = 3
  integer(8) :: wide
  integer, allocatable :: made(:)
  type(box) :: one
  real :: x(100)
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, n, ierr)
  none = n - 1
  wide = none
  one%cells = n
  call mpi_barrier(mpi_comm_world, ierr)
!case 1
  call checked(none) !block
  do i = 1, 100/none
    x(i) = x(i) + 1
  end do
!case 2
  if (fits(none)) one%cells = 2 !block
  do i = 1, 100/none
    x(i) = x(i) + 1
  end do
!case 3
  if (none == 0) stop 3 !block
  call swept(100/none)
!case 4
  if (none == 0) stop 3 !block
  call swept(few(none)) !block
!case 5
  call guarded(100/none) !block
!case 6
  call guarded(few(none)) !block
!end case
  call mpi_finalize(ierr)
contains
  subroutine swept(count)
    integer, intent(in) :: count
    integer :: j
    do j = 1, count
      x(j) = x(j) + 1
    end do
  end subroutine
  subroutine guarded(count)
    integer, intent(in) :: count
    if (count < 0) stop 2
    call swept(count)
  end subroutine
  subroutine checked(number)
    integer, intent(in) :: number
    if (number == 0) call mpi_abort(mpi_comm_world, 1, ierr)
  end subroutine
  subroutine chosen(number, *)
    integer, intent(in) :: number
    if (number == 0) return 1
  end subroutine
  logical function fits(number)
    integer, intent(in) :: number
    if (number == 0) stop 3
    fits = number > 0
  end function
end program
