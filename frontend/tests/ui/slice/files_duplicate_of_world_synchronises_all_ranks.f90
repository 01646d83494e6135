! ui: slice
! A communicator of all processes may be made of MPI_COMM_WORLD.
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
  call mpi_comm_dup(mpi_comm_world, lu, ierr)
!case 2
  call mpi_comm_split(mpi_comm_world, 0, 0, lu, ierr)
!end case
  call mpi_barrier(lu, ierr)
  write (8, *) 4
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
