! ui: slice
! An object is passed as the dummy that is named.
module w
  type box
    integer :: n
    procedure(set), pointer, pass(self) :: p => null()
  end type
  abstract interface
    subroutine set(k, l, self)
      import box
      integer :: k, l
      class(box) :: self
    end subroutine
  end interface
contains
  subroutine own(a, b, c)
    integer :: a, b
    class(box) :: c
    a = 4
    c%n = b
  end subroutine
end module
program t
  use mpi
  use w
  type(box) :: o
  integer :: ierr, x(9), m, j
  m = 3
  o%p => own
  call o%p(l=m, k=j)
  call mpi_bcast(x, o%n, mpi_integer, 0, mpi_comm_world, ierr)
end program
