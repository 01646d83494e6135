! ui: slice assumptions
! Pitfall 2, second half: an exit on computed data is assumed not taken, and listed.
program t
  use mpi
  integer :: ierr, i, n
  real :: a(100)
  call mpi_init(ierr)
  n = 0
  do i = 1, 100
    a(i) = sin(real(i))
    if (a(i) > 0.5) n = n + 1
    if (n > 90) goto 999
  end do
  call mpi_finalize(ierr)
  stop
999 print *, 'too many'
  call mpi_abort(mpi_comm_world, 1, ierr)
end program
