! ui: slice
! What an INTENT(OUT) object is reset to makes no component depend on another.
module m
  type field
    integer :: n
    real(8), allocatable :: data(:)
  end type
contains
  subroutine set(a, n)
    type(field), intent(out) :: a
    integer, intent(in) :: n
    a%n = n
  end subroutine
end module
program t
  use mpi
  use m
  type(field) :: x
  integer :: ierr
  call mpi_init(ierr)
  call set(x, 10)
  allocate (x%data(10))
  x%data = sin(1.d0)
  call mpi_bcast(x%data, x%n, mpi_double_precision, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
