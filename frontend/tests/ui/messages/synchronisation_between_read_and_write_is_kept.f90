! ui: levels diagnostics
! Also where the reading comes first and the writing stays for another one.
program t
  use mpi
  integer :: n, k, ios, rank, ierr, status(mpi_status_size)
  logical :: there
  real :: x
  call mpi_init(ierr)

  if (rank == 1) then
    open (8, file='deck')
    write (8, *) 4
    close (8)
  end if
  call mpi_barrier(mpi_comm_world, ierr)
  open (8, file='deck')
  read (8, *) n
  close (8)
  call mpi_barrier(mpi_comm_world, ierr)
  if (rank == 1) then
    open (8, file='deck')
    write (8, *) 4
    close (8)
  end if
  call mpi_barrier(mpi_comm_world, ierr)
  open (8, file='deck')
  read (8, *) n
  close (8)

  if (n == 4) call mpi_bcast(x, 1, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
