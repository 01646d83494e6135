! ui: slice
! Fields that change places by MOVE_ALLOC keep their components apart; their values are not needed where only the shape is.
module m
  use mpi
  type field
    integer :: n
    real(8), allocatable :: data(:)
  end type
contains
  subroutine swap(a, b)
    type(field), intent(inout) :: a, b
    real(8), allocatable :: c(:)
    call move_alloc(a%data, c)
    call move_alloc(b%data, a%data)
    call move_alloc(c, b%data)
  end subroutine
end module
program t
  use m
  type(field) :: x, y
  integer :: i, ierr
  call mpi_init(ierr)
  x%n = 10
  allocate (x%data(10), y%data(10))
  x%data(:) = 1
  do i = 1, 10
    y%data(i) = x%data(i) + sin(x%data(i))
    call swap(x, y)
    call mpi_bcast(x%data, x%n, mpi_double_precision, 0, mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
