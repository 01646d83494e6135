! ui: slice diagnostics
! A test of a number under another name is no procedure without source, which could communicate.
program t
  use mpi
  use, intrinsic :: ieee_arithmetic, only: is_nan => ieee_is_nan
  implicit none
  real :: x(10)
  integer :: ierr, i
  call mpi_init(ierr)
  do i = 1, 10
    x(i) = sqrt(real(i))
  end do
  if (is_nan(x(1))) print *, 'not a number'
  call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
