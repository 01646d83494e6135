! ui: terms
! Where an array may not be allocated, ALLOCATED guards its size.
module field
  type grid
    integer :: n, m
    real, allocatable :: u(:, :)
  end type
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

end module
program t
  use mpi
  use field
  implicit none
  integer :: ierr, me, it, n, k
  real :: s
!case 1

!case 2
  type(grid) :: g
!case 3
  real, pointer :: p(:)
  real, target :: x(9)
!end case
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 10 + me
!case 1
  allocate (u(n, 7), v(n, 7))
!case 2
  allocate (g%u(n, 7))
!case 3
  p => x(:me)
!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do it = 1, 5
    do k = 1, n !block
!case 1
      u(:, k) = 1
!case 2
      g%u(:, k) = 1
!case 3
      p = k
!end case
    end do
    call mpi_barrier(mpi_comm_world, ierr)
  end do
end program
