! ui: slice assumptions
! Pitfall 2, first half: an exit on base data stays.
program t
  use mpi
  integer :: ierr, np
  call mpi_init(ierr)
  call mpi_comm_size(mpi_comm_world, np, ierr)
  if (mod(np, 2) /= 0) then
    print *, 'odd'
    stop
  end if
  call mpi_finalize(ierr)
end program
