! ui: loops
! Persistent requests are open when started.
program t
  use mpi
  integer :: i, j, index, error, reqs(4), others(4), single
  real :: x(4)
  call mpi_init(error)
  do i = 1, 4
    call mpi_recv_init(x(i), 1, mpi_real, i, 1, mpi_comm_world, reqs(i), error)
  end do
  do j = 1, 9
    call mpi_startall(4, reqs, error)
    call mpi_waitall(4, reqs, mpi_statuses_ignore, error)
  end do

  call mpi_finalize(error)
contains

end program
