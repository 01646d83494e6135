! ui: slice
! A private variable hides no public one.
module a
  integer :: n
end module
module b
  implicit none
  private
  integer :: n = 0
  public :: count_up
contains
  subroutine count_up()
    n = n + 1
  end subroutine
end module
module c
  integer, private :: n = 3
  real :: z
end module
program t
  use mpi
  use a
  use b
  use c
  integer :: ierr, x(9)
  n = 5
  call count_up()
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr)
end program
