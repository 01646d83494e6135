! ui: slice
! Constant lengths ask for nothing, and what is declared needs no rule.
program t
  use mpi
  integer :: n, ierr
  call mpi_init(ierr)
  n = 3
  call sub(n)
  call mpi_finalize(ierr)
contains
  subroutine sub(nn)
    implicit character*(nn) (c), character*8 (d)
    integer, intent(in) :: nn
    character(len=5) :: cc
    cc = 'a'
    dd = 'b'
    call mpi_bcast(cc, len(cc) + len(dd), mpi_character, 0, mpi_comm_world, ierr)
  end subroutine
end program
