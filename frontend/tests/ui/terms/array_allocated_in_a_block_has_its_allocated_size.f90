! ui: terms
! Array allocated in a block has its allocated size.
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
!case 1

!case 2
  subroutine alone(n)
    integer, intent(in) :: n
    real, allocatable :: w(:)
    allocate (w(n))
    w = 3
  end subroutine
!end case
end module
program t
  use mpi
  use field
  implicit none
  integer :: ierr, me, it, n, k
  real :: s
!case 1
  real, allocatable :: w(:)
!case 2

!end case
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 10 + me
  allocate (u(n, 7), v(n, 7))
  call mpi_barrier(mpi_comm_world, ierr)
  do it = 1, 5
!case 1
    allocate (w(2:n)) !block
    w = 1
    deallocate (w)
!case 2
    call alone(n + 1) !block
!end case
    call mpi_barrier(mpi_comm_world, ierr)
  end do
end program
