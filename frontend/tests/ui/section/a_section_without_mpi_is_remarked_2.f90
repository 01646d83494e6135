! ui: section diagnostics --procedure=solve
! A section without MPI is remarked.
program t
  use mpi
  integer :: ierr, i
  call mpi_init(ierr)
  do i = 1, 3
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call solve(i)

  call mpi_finalize(ierr)
end program
subroutine solve(i)
  use mpi
  integer :: i, ierr
  if (i > 7) return
  call mpi_barrier(mpi_comm_world, ierr)
end subroutine
