! ui: levels
! Members of a reduction have the same operation and data of one type, so calls that differ never
! meet.
program t
  use mpi
  integer :: n, m, k, flag, ierr, request, status(mpi_status_size)
  real :: x, y
  call mpi_init(ierr)
  call mpi_allreduce(m, n, 1, mpi_integer, mpi_max, mpi_comm_world, ierr)
  call mpi_allreduce(x, y, 1, mpi_real, mpi_max, mpi_comm_world, ierr)
!case 1
  call mpi_allreduce(k, flag, 1, mpi_integer, mpi_sum, mpi_comm_world, ierr)
!case 2
  call mpi_allreduce(x, y, 1, mpi_byte, mpi_sum, mpi_comm_world, ierr)
!case 3
  call mpi_allreduce(x, y, 1, k, mpi_max, mpi_comm_world, ierr)
!case 4
  call mpi_allreduce(x, y, 1, mpi_integer, k, mpi_comm_world, ierr)
!end case
  if (n > 3) call mpi_barrier(mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
