! ui: slice
! Commands reach all files.
program t
  use mpi
  integer :: n, k, lu, r, ierr
  logical :: there
  real :: x
  character(20) :: name, line
  call mpi_init(ierr)
!case 1
  call execute_command_line('echo 4 > deck')
!case 3
  open (6, file='deck')
  write (6, *) 4
  close (6)
!end case
  open (8, file='deck')
!case 2
  write (8, *) 4
  close (8)
  call execute_command_line('cp deck copy')
  open (8, file='copy')
!end case
  read (8, *) n
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
