! ui: diagnostics
! MPI in a parallel region is remarked.
program t
  use mpi
  integer :: ierr
  !$omp parallel do
  do ierr = 1, 2
  end do
  !$omp parallel
  !$omp master
  call mpi_barrier(mpi_comm_world, ierr)
  !$omp end master
  !$omp end parallel
end program
