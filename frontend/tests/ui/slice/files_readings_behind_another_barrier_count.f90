! ui: slice
! A barrier that another process passes before it reads is no global synchronisation after the
! reading.
program t
  use mpi
  integer :: n, r, ierr
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, r, ierr)
  if (r == 0) then
    call mpi_barrier(mpi_comm_world, ierr)
    open (8, file='deck')
    write (8, *) 4
    close (8)
    call mpi_send(r, 0, mpi_integer, 1, 0, mpi_comm_world, ierr)
  else
    call mpi_barrier(mpi_comm_world, ierr)
    call mpi_recv(r, 0, mpi_integer, 0, 0, mpi_comm_world, mpi_status_ignore, ierr)
    open (8, file='deck')
    read (8, *) n
    call mpi_send(r, n, mpi_integer, 1, 0, mpi_comm_self, ierr)
  end if
  call mpi_finalize(ierr)
end program
