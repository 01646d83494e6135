! ui: slice
! What is behind a label stays though the only GOTO there is assumed not to be taken.
program t
  use mpi
  implicit none
  integer :: m, ierr
  call mpi_init(ierr)
  call mpi_comm_rank(mpi_comm_world, m, ierr)
  if (m > 9) goto 20 !assume: not taken
  call elsewhere(m, *20)
  goto 30
20 call mpi_barrier(mpi_comm_world, ierr)
30 call mpi_finalize(ierr)
end program
subroutine elsewhere(k, *)
  integer, intent(in) :: k
  if (k > 5) return 1
end subroutine
