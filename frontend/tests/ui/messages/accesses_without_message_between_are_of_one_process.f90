! ui: levels diagnostics
! Nothing but one process itself orders what has no message between.
program t
  use mpi
  integer :: n, k, ios, rank, ierr, status(mpi_status_size)
  logical :: there
  real :: x
  call mpi_init(ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  if (rank == 1) then
    open (8, file='deck')
    write (8, *) 4
    close (8)
  end if
!case 1

!case 2
  call mpi_bcast(x, 1, mpi_real, 1, mpi_comm_world, ierr)
!end case
  open (8, file='deck')
  read (8, *) n
  close (8)
!case 1
  call mpi_barrier(mpi_comm_world, ierr)
!case 2

!end case
  if (n == 4) call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
