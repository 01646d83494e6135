! ui: section diagnostics --timed
! Clock around whole run means whole run.
program t
  use mpi
  integer :: ierr, c0, c1, rate
  call system_clock(c0)
  call mpi_init(ierr)
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
  call system_clock(c1, rate)
  print *, real(c1 - c0)/rate
end program
