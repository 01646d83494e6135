! ui: slice
! Whether a file exists is another question than what is in it.
program t
  use mpi
  integer :: n, k, lu, r, ierr
  logical :: there
  real :: x
  character(20) :: name, line
  call mpi_init(ierr)
!case 1
  x = 1
  open (8, file='deck')
  write (8, *) x
  inquire (file='deck', exist=there)
  n = 1
  if (there) n = 2
!case 2
  write (8, *) 1
  inquire (unit=8, opened=there)
  n = 1
  if (there) n = 2
!case 3
  open (8, file='deck', access='stream')
  write (8) 1
  inquire (8, size=n)
!end case
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
