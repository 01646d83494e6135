! ui: levels diagnostics
! An input file that is only read, and a file of each process, are not shared.
program t
  use mpi
  integer :: n, k, ios, rank, ierr, status(mpi_status_size)
  logical :: there
  real :: x
  call mpi_init(ierr)
!case 1
  call mpi_barrier(mpi_comm_world, ierr)
  open (8, file='deck')
!case 2
  open (8, status='scratch')
  write (8, *) 4
  call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
  rewind (8)
!end case
  read (8, *) n
!case 1
  close (8)

!end case
  if (n == 4) call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
