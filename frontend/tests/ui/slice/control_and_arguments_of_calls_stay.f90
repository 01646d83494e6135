! ui: slice
! Control and arguments of calls stay.
program t
  use mpi
  integer :: n, i, ierr, me
  real :: a(100), s
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, me, ierr)
  n = 10
  if (me > 3) n = 20
  do i = 1, n
    a(i) = i
  end do
  call mpi_bcast(a, n, mpi_real, 0, mpi_comm_world, ierr)
  s = sum(a)
  print *, s
  call mpi_finalize(ierr)
end program
