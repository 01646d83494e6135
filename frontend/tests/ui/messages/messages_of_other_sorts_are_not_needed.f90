! ui: slice levels
! Integers that are sent never arrive where reals are received: what is needed of those needs
! nothing of these. All are delivered, since requests of both may be waited for at once.
! - Bytes may be anything.
program t
  use mpi
  integer :: n, m, ierr, requests(4)
  real :: x(9), y(9)
  call mpi_init(ierr)
  m = 3
  x = sqrt(2.0)
  call mpi_irecv(n, 1, mpi_integer, 0, 1, mpi_comm_world, requests(1), ierr)
!case 1
  call mpi_irecv(y, 9, mpi_real, 0, 2, mpi_comm_world, requests(2), ierr)
!case 2
  call mpi_irecv(y, 9, mpi_byte, 0, 2, mpi_comm_world, requests(2), ierr)
!end case
  call mpi_isend(m, 1, mpi_integer, 0, 1, mpi_comm_world, requests(3), ierr)
  call mpi_isend(x, 9, mpi_real, 0, 2, mpi_comm_world, requests(4), ierr)
  call mpi_waitall(4, requests, mpi_statuses_ignore, ierr)
  call mpi_bcast(x, n, mpi_real, 0, mpi_comm_world, ierr)
  call mpi_finalize(ierr)
end program
