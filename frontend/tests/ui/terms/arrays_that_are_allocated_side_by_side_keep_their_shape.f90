! ui: terms slice
! What one array is assigned of the other changes no shape, so that the slice need not copy it.
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
!case 1 4
  allocate (u(n, 7), v(n, 7))
!case 2
  allocate (u(n, 7))
  allocate (v(1:n, 7))
!case 3
  allocate (u(n, 7))
  allocate (v(n, 7))
  deallocate (u)
  deallocate (v)

!end case
  call mpi_barrier(mpi_comm_world, ierr)
  do it = 1, 5
!case 4
    u = v !block
!else
    u = 2*v + 1 !block
!end case
    call in_place()
    call mpi_barrier(mpi_comm_world, ierr)
  end do
end program
