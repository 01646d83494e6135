! ui: blocks slice --procedure=solve
! Calls of a section without MPI are in no block.
program t
  use mpi
  integer :: ierr
  real :: a(10)
  call mpi_init(ierr)
  a = 1
  call outer(a)
  call other(a)
  a = 2
  call mpi_finalize(ierr)
end program
subroutine outer(a)
  real :: a(10)
  a(1) = 1
  call solve(a)
  a(2) = 1
end subroutine
subroutine solve(a)
  real :: a(10)
  integer :: i
  do i = 1, 10
    a(i) = i
  end do
  a(1) = 0
end subroutine
subroutine other(a)
  real :: a(10)
  a(1) = 0
end subroutine
