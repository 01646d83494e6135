! ui: blocks
! Called within blocks are no blocks.
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
    g = norm(x)
!case 2
    do k = 1, 5
      if (norm(x) < k) exit
      g = k
    end do
!case 3
    call mpi_bcast(x, next(k), mpi_real, 0, mpi_comm_world, ierr)
!end case
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
