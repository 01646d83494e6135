! Ranks 0 and 1 each wait for the other's message before sending their own; the other ranks wait
! in the barrier. At least two ranks.
program deadlock
  use mpi
  implicit none
  integer :: me, ierr
  integer :: status(MPI_STATUS_SIZE)
  double precision :: mine(4), other(4)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  mine = dble(me)
  if (me < 2) then
    call MPI_Recv(other, 4, MPI_DOUBLE_PRECISION, 1 - me, 3, MPI_COMM_WORLD, status, ierr)
    call MPI_Send(mine, 4, MPI_DOUBLE_PRECISION, 1 - me, 3, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program deadlock
