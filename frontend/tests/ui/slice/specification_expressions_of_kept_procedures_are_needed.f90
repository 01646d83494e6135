! ui: slice
! Pitfall 6: bounds of dummies and automatic arrays.
program t
  use mpi
  integer :: d, ierr
  real :: a(100)
  call mpi_init(ierr)
  d = 10
  call k(d, a)
  call mpi_finalize(ierr)
end program
subroutine k(d1, a)
  use mpi
  integer :: d1, ierr
  real :: a(d1, *), w(d1)
  w(1) = 1
  a(1, 1) = w(1)
  call mpi_bcast(a, 1, mpi_real, 0, mpi_comm_world, ierr)
end subroutine
