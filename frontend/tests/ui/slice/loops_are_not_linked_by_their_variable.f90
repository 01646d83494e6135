! ui: slice
! A DO variable that is used inside its loop only does not link the loops that count in it.
program t
  use mpi
  integer :: i, ierr
  real :: a(10)
  call mpi_init(ierr)
  do i = 1, 10
    a(i) = i
  end do
  do i = 1, 3
    call mpi_bcast(a, i, mpi_real, 0, mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
