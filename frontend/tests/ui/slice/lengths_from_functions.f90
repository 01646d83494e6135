! ui: slice
! The function that computes a length is needed, and its arguments.
program t
  use mpi
  integer :: n, ierr
  call mpi_init(ierr)
  n = 3
  call sub(n)
  call mpi_finalize(ierr)
contains
  subroutine sub(nn)
    integer, intent(in) :: nn
!case 1
    character :: c*(twice(nn))
!case 2
    character :: c*(1+twice(nn))
!end case
    call mpi_bcast(c, len(c), mpi_character, 0, mpi_comm_world, ierr)
  end subroutine
  pure integer function twice(k)
    integer, intent(in) :: k
    twice = 2 * k
  end function
end program
