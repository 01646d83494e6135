! ui: blocks
! With loops called by communicating statements are blocks.
module m
  type, abstract :: model
    real :: u(1000)
  contains
    procedure(stepping), deferred :: step
  end type
  abstract interface
    subroutine stepping(self)
      import model
      class(model), intent(inout) :: self
    end subroutine
  end interface
  type, extends(model) :: fluid
  contains
    procedure :: step => step_fluid
  end type
  type, extends(model) :: solid
  contains
    procedure :: step => step_solid
  end type
contains
  subroutine step_fluid(self)
    use mpi
    class(fluid), intent(inout) :: self
    integer :: ierr
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
  subroutine step_solid(self)
    class(solid), intent(inout) :: self
    self%u = self%u*2 !dispatched
  end subroutine
  real function norm(x)
    real, intent(in) :: x(:)
    integer :: i
    norm = 0 !norm
    do i = 1, size(x)
      norm = norm + x(i)**2
    end do
  end function
  integer function next(i)
    integer, intent(in) :: i
    next = i + 1 !next
  end function
end module
program t
  use mpi
  use m
  implicit none
  integer :: ierr, it, k
  real :: x(1000), g
  class(model), allocatable :: one
  call mpi_init(ierr)
  x = 1
  allocate (fluid :: one)
  do it = 1, 9
!case 1
    if (norm(x) > 0) call mpi_barrier(mpi_comm_world, ierr)
!case 2
    if (norm(x) < 0) exit
!case 3
    if (norm(x) < 0) cycle
!case 4
    do while (norm(x) > k)
      call mpi_barrier(mpi_comm_world, ierr)
      k = k + 1
    end do
!case 5
    call mpi_allreduce(norm(x), g, 1, mpi_real, mpi_sum, mpi_comm_world, ierr)
!case 6
    do k = 1, int(norm(x))
      call mpi_barrier(mpi_comm_world, ierr)
    end do
!case 7
    select case (int(norm(x)))
    case (3)
      call mpi_barrier(mpi_comm_world, ierr)
    end select
!end case
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
