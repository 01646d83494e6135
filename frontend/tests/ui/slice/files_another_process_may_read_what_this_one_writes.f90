! ui: slice
! Another process may read what this one writes, unless all have met in between.
program t
  use mpi
  integer :: n, k, lu, r, ierr
  logical :: there
  real :: x
  character(20) :: name, line
  call mpi_init(ierr)
  open (8, file='deck')
  read (8, *) n
!case 1
  rewind (8)
!case 2
  call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
!end case
  write (8, *) 4
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
