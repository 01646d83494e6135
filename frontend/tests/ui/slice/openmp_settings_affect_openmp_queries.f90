! ui: slice
! Openmp settings affect openmp queries.
program t
  use mpi
  use omp_lib
!case 1
  integer :: ierr, x(9), n
  real :: start
  n = 4
  call omp_set_num_threads(n)
  start = omp_get_wtime()
  n = omp_get_max_threads()
  call mpi_bcast(x, n, mpi_integer, 0, mpi_comm_world, ierr)
  print *, omp_get_wtime() - start
!case 2
  integer :: ierr, x(9)
  call omp_set_num_threads(2)
  print *, omp_get_max_threads()
  call mpi_bcast(x, 1, mpi_integer, 0, mpi_comm_world, ierr)
!end case
end program
