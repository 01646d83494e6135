! ui: slice
! Pitfall 12: masks are conditions.
program t
  use mpi
  integer :: ierr, n
  real :: d(4), eps
  logical :: done(4)
  call mpi_init(ierr)
  eps = 0.5
  d = 1
  done = .false.
  where (d <= eps) done = .true.
  n = count(done)
  call mpi_bcast(d, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
