! ui: slice
! The second number is another one without the first.
program t
  use mpi
  integer :: n, k, ierr, seeds(8)
  logical :: there
  real :: x(10), r
  character(20) :: text
  call mpi_init(ierr)
  seeds = 7
  call random_seed(put=seeds)
  call random_number(x(1))
  call random_number(r)
  n = int(4 * r)
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
