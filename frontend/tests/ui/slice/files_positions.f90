! ui: slice
! Positions.
program t
  use mpi
  integer :: n, k, lu, r, ierr
  logical :: there
  real :: x
  character(20) :: name, line
  call mpi_init(ierr)
!case 2
  x = 4
!end case
  open (8, file='deck')
!case 1
  write (8, *) 4
  write (8, *) 5
  backspace (8)
  read (8, *) n
!case 2
  write (8, *) 1
  write (8, *, iostat=n) x
  close (8)
!end case
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
