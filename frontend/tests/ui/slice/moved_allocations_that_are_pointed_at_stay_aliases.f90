! ui: slice
! A pointer at an allocation that moves points at the variable that it moves to, and a moved value is a value.
program t
  use mpi
  integer, allocatable, target :: a(:), b(:)
  integer, allocatable :: c(:), d(:)
  integer, pointer :: p(:)
  integer :: ierr
  real :: x(10)
  call mpi_init(ierr)
  allocate (a(1), c(1))
  p => a
  call move_alloc(a, b)
  p = 5
  call mpi_bcast(x, b(1), mpi_real, 0, mpi_comm_world, ierr)
  c = 7
  call move_alloc(c, d)
  call mpi_bcast(x, d(1), mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
