! ui: slice
! The rule of a host holds with the host's variables, whatever a procedure in it calls its own.
program t
  use mpi
  integer :: n, m, ierr
  call mpi_init(ierr)
  m = 4
  n = 3
  call outer(n, m)
  call mpi_finalize(ierr)
end program
subroutine outer(nn, mm)
  use mpi
  implicit character*(nn) (c)
  integer, intent(in) :: nn
  integer :: mm, ierr
  call inner(mm)
contains
  subroutine inner(k)
    integer :: k
    cc = 'a'
    call mpi_bcast(cc, len(cc), mpi_character, 0, mpi_comm_world, ierr)
  end subroutine
end subroutine
