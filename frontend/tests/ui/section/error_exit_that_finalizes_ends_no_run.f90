! ui: section diagnostics --timed
! Error exit that finalizes ends no run.
program t
  use mpi
  integer :: ierr, c0, c1, rate
  call mpi_init(ierr)
  call system_clock(c0)
  call fail(ierr)
  if (c0 > 5) then
    call mpi_finalize(ierr)
    stop
  end if
  call mpi_barrier(mpi_comm_world, ierr)
  call system_clock(c1, rate)
  print *, real(c1 - c0)/rate
  call mpi_finalize(ierr)
end program
subroutine fail(n)
  use mpi
  integer :: n, ierr
  if (n > 0) then
    call mpi_finalize(ierr)
    stop
  end if
end subroutine
