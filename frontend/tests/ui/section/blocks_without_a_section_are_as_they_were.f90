! ui: blocks
! Blocks without a section are as they were.
program t
  use mpi
  integer :: ierr, i, j
  real :: a(10)
  call mpi_init(ierr)
  a = 1
  a(1) = 2
  a(2) = 3
  do i = 1, 10
    a(i) = 4
    a(i) = 5
    a(i) = 6
  end do
  a(3) = 7
  call mpi_finalize(ierr)
end program
