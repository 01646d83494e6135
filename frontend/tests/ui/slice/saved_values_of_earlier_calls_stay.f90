! ui: slice
! Saved values of earlier calls stay.
program t
  use mpi
  integer :: ierr, i, n
  call mpi_init(ierr)
  do i = 1, 3
    call next(n)
  end do
  call mpi_bcast(n, n, mpi_integer, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
subroutine next(n)
  integer :: n
  integer, save :: k = 0
  k = k + 1
  n = k
end subroutine
