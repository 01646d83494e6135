! ui: slice
! Pointer components are one for all objects of a type.
module w
  type box
    integer :: unused
    integer, pointer :: inner
  end type
  type shelf
    integer :: unused
    type(box), pointer :: top
  end type
  type item
    integer :: n
    type(item), pointer :: next
  end type
contains
  subroutine fill(b)
    type(box), intent(inout) :: b
    b%inner = 3
  end subroutine
end module
program t
  use mpi
  use w
  integer, target :: n
  type(shelf) :: s
  type(item), target :: first, second
  type(item), pointer :: at
  integer :: ierr, x(9)
  allocate(s%top)
  n = 1
  s%top%inner => n
  s%top%unused = 1
  s%unused = 2
  call fill(s%top)
  first%next => second
  second%next => first
  at => first%next%next
  at%n = 4
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_bcast(x, first%n, mpi_integer, 0, mpi_comm_world, ierr)
end program
