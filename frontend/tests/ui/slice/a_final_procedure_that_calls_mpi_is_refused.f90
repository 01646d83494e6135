! ui: diagnostics
! A final procedure that calls MPI is refused.
module w
  use mpi
  type box
    integer :: comm
  contains
    final :: gone
  end type
contains
  subroutine gone(this)
    type(box) :: this
    integer :: ierr
    call mpi_comm_free(this%comm, ierr)
  end subroutine
end module
program t
  use w
  type(box) :: b
  b%comm = 1
end program
