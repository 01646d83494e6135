! ui: slice
! Of texts of a block.
program t
  use mpi
  implicit none
  integer :: n, m, ierr
  call mpi_init(ierr)
  m = 4
  n = 3
  call sub(n)
  call mpi_finalize(ierr)
contains
  subroutine sub(nn)
    integer, intent(in) :: nn
    block
      character(len=nn) :: c
      c = 'a'
      call mpi_bcast(c, len(c), mpi_character, 0, mpi_comm_world, ierr)
    end block
  end subroutine
end program
