! ui: terms
! Many programs have a variable of the function's name.
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
  integer :: size
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 10 + me
  allocate (u(n, 7), v(n, 7))
  size = me + 2
  call mpi_barrier(mpi_comm_world, ierr)
  do it = 1, 5
!case 1
    do k = 1, n/size !block
      s = s + k
    end do
!case 2
    call in_place() !block
!end case
    call mpi_barrier(mpi_comm_world, ierr)
  end do
end program
