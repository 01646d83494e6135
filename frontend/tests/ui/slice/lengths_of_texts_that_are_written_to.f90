! ui: slice
! Where a text is too short, a WRITE to it fails.
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
    character(nn) :: line
    integer :: e
    write(line, '(i0)', iostat=e) 12345
    if (e == 0) call mpi_barrier(mpi_comm_world, ierr)
  end subroutine
end program
