! ui: slice
! Sizes depend on existence.
program t
  use mpi
  integer, allocatable :: a(:)
  integer :: ierr, x(9)
  allocate (a(3))
  a = [7, 7]
  a(2) = 8
  call mpi_bcast(x, size(a), mpi_integer, 0, mpi_comm_world, ierr)
end program
