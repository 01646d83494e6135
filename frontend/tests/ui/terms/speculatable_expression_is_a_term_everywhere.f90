! ui: terms
! Speculatable expression is a term everywhere.
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
  else if (any(x(1:n - me/2) > 0)) then
    z = 3
  end if
!case 2
  if (flag .and. any(x(1:n - me/2) > 0)) z = 3
!case 3
  z = merge(sum(x(1:n - me/2)), 0.0, flag)
!case 4
  if (flag) goto 10
  z = sum(x(1:n - me/2))
10 continue
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
