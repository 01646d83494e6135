! ui: slice
! Pitfall 19: a function with side effects in an assignment whose target is not used.
program t
  use mpi
  integer :: ierr, seed
  real :: d, rnd, y
  call mpi_init(ierr)
  seed = 1
  d = rnd(seed, y)
  call mpi_bcast(y, seed, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
real function rnd(x, y)
  integer :: x
  real :: y
  x = 2*x
  y = x
  rnd = x
end function
