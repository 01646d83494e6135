! ui: ir
! Incomplete mpi calls are reported.
program p
!case 1
  include 'mpif.h'
!case 2
  use mpi_f08
!end case
  call mpi_barrier(mpi_comm_world)
  call mpi_barrier(mpi_comm_world)
  call mpi_finalize(i)
end
