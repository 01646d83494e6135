! ui: terms
! An array without elements has the size 0 and the bounds 1 and 0, whatever is declared.
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
  real, allocatable :: w(:)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 10 + me
  allocate (u(n, 7), v(n, 7))
  call mpi_barrier(mpi_comm_world, ierr)
  do it = 1, 5
    allocate (w(2:n)) !block
!case 1
    do k = 1, 10 - size(w)
!case 2
    do k = lbound(w, 1), me
!case 3
    do k = 0, ubound(w, 1)
!case 4
    do k = lbound(w, 1), ubound(w, 1)
!end case
      s = s + k
    end do
    deallocate (w)
    call mpi_barrier(mpi_comm_world, ierr)
  end do
end program
