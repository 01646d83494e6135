! ui: terms
! Counts in functions are evaluated only if the call is unconditional.
program t
  use mpi
  type box
    integer :: cells
    real, allocatable :: held(:)
    real, pointer :: lent(:)
    real :: part(10)
    character(20) :: name
  end type
  integer :: ierr, i, j, n, me, none, few(3)
  integer, pointer :: named
  integer, allocatable :: made
  type(box) :: one, many(10)
  type(box), pointer :: boxed
  real, allocatable :: free(:)
  real, pointer :: lent(:)
  real :: x(100), y(100), z
  logical :: flag
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = me + 2
  flag = me > 3
  none = me - 1
  few = me
  read *, x, y, z
  call mpi_barrier(mpi_comm_world, ierr)
  z = z + 1 !block
!case 1
  if (flag) then
    z = 2
  else if (swept(boxed%cells) > 0) then
    z = 3
  end if
!case 2
  if (flag .and. swept(boxed%cells) > 0) z = 3
!case 3
  z = merge(swept(boxed%cells), 0.0, flag)
!case 4
  if (flag) goto 10
  z = swept(boxed%cells)
10 continue
!case 5
  if (flag) then
    z = 2
  else if (swept(few(2)) > 0) then
    z = 3
  end if
!case 6
  if (flag .and. swept(few(2)) > 0) z = 3
!case 7
  z = merge(swept(few(2)), 0.0, flag)
!case 8
  if (flag) goto 10
  z = swept(few(2))
10 continue
!case 9
  if (flag .and. swept(100/none) > 0) z = 3
!case 10
  if (swept(100/none) > 0) z = 3
!case 11
  if (flag .and. swept(n) > 0) z = 3
!end case
  call mpi_finalize(ierr)
contains
  real function swept(k)
    integer, intent(in) :: k
    integer :: l
    swept = 0
    do l = 1, k
      swept = swept + x(l)
    end do
  end function
  subroutine given(k, u, v)
    integer, intent(in), optional :: k
    real, intent(in), optional :: u(:)
    integer, intent(in) :: v
    call mpi_barrier(mpi_comm_world, ierr)
    z = z + 1 !given
    if (present(k) .and. sum(x(1:k)) > 0) z = 1
    call mpi_barrier(mpi_comm_world, ierr)
    z = z + 1 !shaped
    if (present(u)) z = sum(u(1:size(u)))
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end program
