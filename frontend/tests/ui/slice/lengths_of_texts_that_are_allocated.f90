! ui: slice
! Of texts that are allocated.
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
    character(:), allocatable :: c, d
    allocate(character(len=nn) :: c)
    allocate(character(len=nn) :: d)
    call mpi_bcast(c, len(c), mpi_character, 0, mpi_comm_world, ierr)
  end subroutine
end program
