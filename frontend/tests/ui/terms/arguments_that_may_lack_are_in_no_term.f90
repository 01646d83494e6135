! ui: terms
! Arguments that may lack are in no term.
! - A caller that has it may ask no more of it than what it gives.
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
!case 1 2

!case 3
  call swept(n, flag, 7/none) !block
!case 4
  call swept(n, flag, none) !block
!end case
  call mpi_finalize(ierr)
contains
  subroutine swept(k, given, extra)
    integer, intent(in) :: k
    logical, intent(in) :: given
!case 1
    integer, intent(in), optional :: extra
!else
    integer, intent(in) :: extra
!end case
    integer :: j
!case 1 2
    call mpi_barrier(mpi_comm_world, ierr)
    do j = 1, k !block
!case 3 4
    do j = 1, k !optional
!end case
      x(j) = x(j) + 1
      if (given) then
        if (extra == 1) then
          x(j) = x(j)*2
          x(j) = x(j) - 1
        end if
      end if
    end do
!case 1 2
    call mpi_barrier(mpi_comm_world, ierr)
!end case
  end subroutine
end program
integer function asked(k)
  integer :: k
  asked = k
end function
