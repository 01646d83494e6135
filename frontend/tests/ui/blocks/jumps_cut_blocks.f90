! ui: blocks
! One way in, one way out.
! - The jump back and the one to 20 stay inside their run; EXIT of a loop with communication does
! not.
program t
  use mpi
  integer :: ierr, k
  real :: x
  call mpi_init(ierr)
  k = 0
10 k = k + 1
  x = 1
  if (k < 3) goto 10
  x = 2
  if (k > 5) goto 20
  x = 3
20 x = 4
  do k = 1, 3
    if (x > 2) exit
    call mpi_barrier(mpi_comm_world, ierr)
  end do
  call mpi_finalize(ierr)
end program
