! ui: slice
! An IMPLICIT statement gives lengths by constants that are declared below it, or around the
! procedure.
program t
  use mpi
  integer :: n, m, ierr
  call mpi_init(ierr)
  m = 4
  n = 3
  call sub(n)
  call mpi_finalize(ierr)
contains
  subroutine sub(nn)
!case 1
    implicit character*(nn) (c)
!case 2
    implicit character(len=2*nn) (c-d), integer (o)
!case 3
    implicit character(nn) (c)
!case 4
    implicit integer (o), character*(1+nn) (a-c, z)
!end case
    integer, intent(in) :: nn
!case 1 2

!case 3
    dimension cc(2)
!case 4
    save other
!end case
    cc = 'a'
    call mpi_bcast(cc, len(cc), mpi_character, 0, mpi_comm_world, ierr)
  end subroutine
end program
