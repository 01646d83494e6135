! ui: slice
! What is read through a pointer depends on where it points.
module lists
  type item
    integer :: n
    type(item), pointer :: next => null()
  end type
end module
program t
  use mpi
  use lists
  type(item), target :: one, two
  type(item), pointer :: at
  real :: x(9)
  integer :: ierr
  two%n = 3
  one%next => two
  at => one
  at => at%next
  call mpi_bcast(x, at%n, mpi_real, 0, mpi_comm_world, ierr)
end program
