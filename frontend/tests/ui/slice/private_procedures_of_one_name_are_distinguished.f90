! ui: slice
! Specific procedures of generic names, and operators, are looked for where the interface stands.
module a
  implicit none
  private
  interface send_all
    module procedure by_number, by_value
  end interface
  public :: send_all
contains
  subroutine by_number(k)
    integer, intent(inout) :: k
    k = k + 5
  end subroutine
  subroutine by_value(k)
    real, intent(inout) :: k
    k = k + 1
  end subroutine
end module
module b
  implicit none
  private
  interface receive_all
    module procedure by_number, by_value
  end interface
  public :: receive_all
contains
  subroutine by_number(k)
    integer, intent(inout) :: k
    k = k*2
  end subroutine
  subroutine by_value(k)
    real, intent(inout) :: k
    k = k - 1
  end subroutine
end module
program t
  use mpi
  use a
  use b
  integer :: ierr, x(99), k
  k = 1
  call send_all(k)
  call receive_all(k)
  call mpi_bcast(x, k, mpi_integer, 0, mpi_comm_world, ierr)
end program
