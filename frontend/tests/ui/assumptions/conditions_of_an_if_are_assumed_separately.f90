! ui: slice assumptions --propose-all
! Each condition of an IF is assumed by itself: one ends the loop, the other the run.
program t
  use mpi
  integer :: ierr, i
  real(8) :: a(200), s
  call mpi_init(ierr)
  a = 1
10 continue
  do i = 2, 199
    a(i) = 0.97d0 * a(i)
  end do
  call mpi_allreduce(a(5), s, 1, mpi_double_precision, mpi_sum, mpi_comm_world, ierr)
  if (s < 1d-3) then
    goto 20
  else if (s > 1d9) then
    print *, 'bad'
    stop 4
  end if
  goto 10
20 continue
  call mpi_finalize(ierr)
end program
