! ui: slice
! A callee writes the component of the object that it is passed.
module w
  type field
    integer :: cells, unused
  end type
  type tile
    integer :: unused
    type(field) :: f, g
  end type
contains
  subroutine fill(f, n)
    type(field) :: f
    integer :: n
    f%cells = n
    f%unused = n
  end subroutine
  subroutine fill_both(t)
    type(tile) :: t
    call fill(t%f, 3)
    call fill(t%g, t%unused)
    t%unused = 1
  end subroutine
end module
program t
  use mpi
  use w
  integer :: ierr, x(9)
  type(tile) :: a, b
  a%unused = 4
  b%unused = 4
  call fill_both(a)
  call fill(b%g, 2)
  b%f%unused = 1
  call mpi_bcast(x, a%f%cells, mpi_integer, 0, mpi_comm_world, ierr)
end program
