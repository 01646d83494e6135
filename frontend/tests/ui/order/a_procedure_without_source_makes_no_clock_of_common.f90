! ui: order diagnostics
! Two places are one note; what has no source may write `n` and `k`, but no times, and what is read
! from a file is none, either.
program t
  use mpi
  integer :: ierr, i, n, k, m, unit
  double precision :: t0, now
  common /c/ n, k
  call mpi_init(ierr)
  t0 = mpi_wtime()
  call unknown(now, t0)
  write (unit, *) t0
  read (unit + 1, *) m
  if (m > 1) call mpi_barrier(mpi_comm_world, ierr)
  do i = 1, n
    if (k > 5) call mpi_barrier(mpi_comm_world, ierr)
  end do
  if (now > 1) call mpi_barrier(mpi_comm_world, ierr)
  if (now > 2) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
