! ui: slice
! Assignment to a pointer function is followed.
module w
  integer, target :: n = 2
contains
  function place(i) result(p)
    integer :: i
    integer, pointer :: p
    p => n
  end function
end module
program t
  use mpi
  use w
  integer :: ierr, b(9)
  place(1) = 31
  call mpi_bcast(b, n, mpi_integer, 0, mpi_comm_world, ierr)
end program
