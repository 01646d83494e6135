! ui: terms
! What is passed to type-bound procedures is CLASS; where nothing extends the type, it has its
! components.
module field
  type grid
    integer :: n, m
    real, allocatable :: u(:, :)
  contains
    procedure :: through
  end type
!case 2
  type, extends(grid) :: larger
    integer :: l
  end type
!case 1
!end case
  real, allocatable :: u(:, :), v(:, :)
contains
  subroutine sweep(a, b)
    real, intent(in) :: a(:, :)
    real, intent(out) :: b(0:, :)
    integer :: i, j
    do j = 2, ubound(a, 2) - 1
      do i = lbound(b, 1), ubound(b, 1)
        b(i, j) = a(i + 1, j)*0.25
      end do
    end do
  end subroutine
  subroutine in_place()
    integer :: j
    do j = 1, size(u, 2)
      u(1, j) = u(1, j) + 1
    end do
  end subroutine
  subroutine through(h)
    class(grid), intent(inout) :: h
    integer :: j
    do j = 1, h%m
      h%u(1, j) = j
    end do
  end subroutine
end module
program t
  use mpi
  use field
  implicit none
  integer :: ierr, me, it, n, k
  real :: s
  type(grid) :: g
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 10 + me
  g%n = n
  g%m = 3 + me
  allocate (g%u(g%n, g%m))
  call mpi_barrier(mpi_comm_world, ierr)
  do it = 1, 5
    call g%through() !block
    call mpi_barrier(mpi_comm_world, ierr)
  end do
end program
