! ui: slice
! Procedures that no run enters are left out: those that nothing calls, and what only they call. A procedure that is passed, the
! function of a bound and a final procedure are entered.
module m
  use mpi
  implicit none
  type :: t
    integer :: n = 3
  contains
    final :: finish
  end type
  integer :: ended = 0
contains
  subroutine finish(one)
    type(t), intent(inout) :: one
    ended = ended + one%n
  end subroutine
  pure integer function extent(n)
    integer, intent(in) :: n
    extent = n + 1
  end function
  subroutine work(n)
    integer, intent(in) :: n
    real(8) :: a(extent(n))
    integer :: ierr
    a = 1
    call mpi_bcast(a, size(a), mpi_double_precision, 0, mpi_comm_world, ierr)
  end subroutine
  subroutine apply(action)
    external :: action
    call action(4)
  end subroutine
  subroutine objects()
    type(t) :: one
    one%n = 4
  end subroutine
  subroutine inner(n)
    integer, intent(in) :: n
    integer :: ierr
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
  subroutine unused(n)
    integer, intent(in) :: n
    integer :: ierr
    call inner(n)
    call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end module
program p
  use m
  implicit none
  integer :: ierr
  real(8) :: x(9)
  call mpi_init(ierr)
  call apply(work)
  call objects()
  call mpi_bcast(x, ended, mpi_double_precision, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
