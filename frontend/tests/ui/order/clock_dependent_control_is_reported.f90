! ui: order diagnostics
! Clock dependent control is reported.
program t
  use mpi
  integer :: ierr, i
  double precision :: t0, now
  call mpi_init(ierr)
  t0 = mpi_wtime()
  do i = 1, 10
    now = mpi_wtime() - t0
    if (now > 5) exit
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
