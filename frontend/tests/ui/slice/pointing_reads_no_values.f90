! ui: slice
! Where a pointer points, not what is there.
program t
  use mpi
  real, pointer :: p(:), q(:)
  real, target :: a(9)
  integer :: ierr, i
  a = 3
  i = 4
  q => a(i:)
  p => q
  p = 2
  call mpi_bcast(a, size(p), mpi_real, 0, mpi_comm_world, ierr)
end program
