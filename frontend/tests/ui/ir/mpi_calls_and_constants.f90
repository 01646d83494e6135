! ui: ir
! Mpi calls and constants.
subroutine s
!case 1
  include 'mpif.h'
  integer s(mpi_status_size)
  call MPI_Send(x, 1, mpi_real, 1, 0, mpi_comm_world, ierr)
  call mpi_none_such(0, i, ierr)
  call mpi_win_fence(0, i, ierr)
  t = mpi_wtime()
  call mpi_recv(x, 1, mpi_real, 0, 0, mpi_comm_world, s, ierr)
!case 2
  double precision mpi_wtime
  external mpi_wtime
  t = mpi_wtime()
!case 3
  real*8 mpi_wtime
  t = mpi_wtime()
!case 4
  use mpi_f08
  call mpi_barrier(comm=mpi_comm_world, ierror=i)
!end case
end
