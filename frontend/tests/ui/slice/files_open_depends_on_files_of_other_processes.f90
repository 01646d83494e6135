! ui: slice
! Open depends on files of other processes.
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
  close (8, status='delete')
  open (9, file='deck', status='old', iostat=n)
!case 2
  write (8, *) x
  close (8)
  open (9, file='other', status='old', iostat=n)
!end case
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
