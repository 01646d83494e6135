! ui: slice
! Constant and assumed lengths ask for nothing.
program t
  use mpi
  integer, parameter :: k = 4
  integer :: n, ierr
  character(len=k) :: c
  call mpi_init(ierr)
  n = 3
  c = 'a'
  call sub(c, n)
  call mpi_finalize(ierr)
contains
  subroutine sub(a, n)
    integer :: n
    character(len=*) :: a
    character*(*), parameter :: b = 'abc'
    call mpi_bcast(a, len(a) + len(b), mpi_character, 0, mpi_comm_world, ierr)
  end subroutine
end program
