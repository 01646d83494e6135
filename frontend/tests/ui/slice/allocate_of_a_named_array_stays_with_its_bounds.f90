! ui: slice
! Pitfall 5: what is named must exist. (Of another array its bounds stay, which determine how much
! memory it takes.)
program t
  use mpi
  integer :: n, m, k, ierr
  real, allocatable :: a(:), b(:)
  call mpi_init(ierr)
  n = 10
  m = 20
  k = 30
  allocate (a(n))
  allocate (b(m))
  a(1) = 1
  b(1) = 2
  call mpi_bcast(a, 1, mpi_real, 0, mpi_comm_world, ierr)
  deallocate (a)
  call mpi_finalize(ierr)
end program
