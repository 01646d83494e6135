! ui: slice
! Of automatic texts.
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
!case 1
    character(len=nn) :: c
!case 2
    character(nn) :: c
!case 3
    character(2*(nn+1)) :: c
!case 4
    character(kind=1, len=nn) :: c
!case 5
    character*(nn) c
!case 6
    character :: c*(nn)
!case 7
    character :: d, c*(1+nn)
!case 8
    character(len=8) :: c*(2*(1+nn))
!end case
    c = 'a'
    call mpi_bcast(c, len(c), mpi_character, 0, mpi_comm_world, ierr)
  end subroutine
end program
