! ui: terms
! Calls in bounds may change other bounds.
module field
  type grid
    integer :: n, m
    real, allocatable :: u(:, :)
  end type
  real, allocatable :: u(:, :), v(:, :)
  integer :: changed
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
  integer function more()
    more = 3
    changed = changed + 1
  end function
end module
program t
  use mpi
  use field
  implicit none
  integer :: ierr, me, it, n, k
  real :: s
  real, allocatable :: w(:)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 10 + me
  allocate (u(n, 7))
  allocate (w(more()))
  allocate (v(n, 7))
  call mpi_barrier(mpi_comm_world, ierr)
  do it = 1, 5
    u = v !block
    call in_place()
    call mpi_barrier(mpi_comm_world, ierr)
  end do
end program
