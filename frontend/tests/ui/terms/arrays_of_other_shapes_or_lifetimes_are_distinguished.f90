! ui: terms
! Arrays of other shapes or lifetimes are distinguished.
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

  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 10 + me
!case 1
  allocate (u(n, 7), v(n, 8))
!case 2
  allocate (u(n, 7))
  n = n + 1
  allocate (v(n, 7))
!case 3
  allocate (u(n, 7), v(n, 7))
  if (me > 1) deallocate (u)
!case 4
  allocate (u(n, 7), v(n, 7))
  if (me > 1) deallocate (u, v)
  if (me > 1) allocate (v(3, 3))
!case 5
  allocate (u(n, 7), v(n, 7))
  call move_alloc(u, v)

!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do it = 1, 5
    u = v !block
    call in_place()
    call mpi_barrier(mpi_comm_world, ierr)
  end do
end program
