! ui: terms
! Components that may not exist are evaluated only without a path to them.
! - What is filled is there.
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
  z = sum(one%held)
!case 2
  one%held = 3
!case 3
  if (flag) one%held = 3
!case 4
  one%held = x(1:n)
!case 5
  allocate (one%held(100/n))
  one%held = 3
!case 6
  z = sum(many(3)%held)
!case 7
  if (associated(one%lent)) z = sum(one%lent)
!case 8
  z = sum(one%lent(1:size(one%lent)))
!case 9
  z = sum(one%part)
!case 10
  z = sum(many(3)%part)
!case 11
  one%part = 2*many(4)%part
!case 12
  one%name(1:3) = 'abc'
!case 13
  z = sum(many%cells)
!case 14
  associate (s => x(1:n))
    z = s(3)
  end associate
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
