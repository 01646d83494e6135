! ui: section diagnostics --timed
! Init in procedure and under condition is found.
! - The procedure ends with it.
program t
  use mpi
  integer :: ierr, c0, c1, rate
  call system_clock(c0)
  call setup()
  call mpi_barrier(mpi_comm_world, ierr)
  call system_clock(c1, rate)
  print *, real(c1 - c0)/rate
  call mpi_finalize(ierr)
end program
subroutine setup()
  use mpi
  integer :: ierr
  logical :: is_done
  call mpi_initialized(is_done, ierr)
  if (.not. is_done) call mpi_init(ierr)
!case 1
  call mpi_barrier(mpi_comm_world, ierr)
!case 2
!end case
end subroutine
