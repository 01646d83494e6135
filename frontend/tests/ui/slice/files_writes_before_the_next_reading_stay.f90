! ui: slice
! A loop leads from what is written back to the reading.
program t
  use mpi
  integer :: n, k, lu, r, ierr
  logical :: there
  real :: x
  character(20) :: name, line
  call mpi_init(ierr)
  do k = 1, 2
    open (8, file='deck')
    read (8, *) n
    rewind (8)
    call mpi_barrier(mpi_comm_world, ierr)
    write (8, *) n + 1
    close (8)
  end do
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
